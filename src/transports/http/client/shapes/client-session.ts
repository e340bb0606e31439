import type { HeaderRecord } from "../../../../contract/channel.ts";
import { InvalidResponseError } from "../../../../errors.ts";
import type { Revision } from "../../../../protocol/revision.ts";
import type { ReceivedResponse } from "../http-exchange.ts";

const visible = /^[\x21-\x7e]{1,1024}$/;

/** A session, from one `initialize` to the next. basic/transports#session-management (2025-11-25) */
export class ClientSession {
  /** The id of the session; undefined for a server without sessions. */
  readonly id: string | undefined;
  readonly #ending = new AbortController();
  isLost = false;

  constructor(response: ReceivedResponse) {
    this.id = response.header("mcp-session-id") || undefined;
    if (this.id !== undefined && !visible.test(this.id))
      throw new InvalidResponseError(
        "The server sent a session id that is not visible ASCII, or is too long for a header.",
      );
  }

  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  end(): void {
    this.#ending.abort();
  }
}

/** The headers that name a session and its revision. */
export function sessionHeaders(
  session: ClientSession | undefined,
  revision: Revision | undefined,
): HeaderRecord {
  return {
    ...(session?.id !== undefined && { "mcp-session-id": session.id }),
    ...(revision?.sendsVersionHeader && { "mcp-protocol-version": revision.version }),
  };
}
