import type { HeaderRecord } from "../../../../contract/channel.ts";
import { InvalidResponseError } from "../../../../errors.ts";
import type { Revision } from "../../../../protocol/revision.ts";

const visible = /^[\x21-\x7e]{1,1024}$/;

/** What the server remembers of us, from one `initialize` to the next. */
export class ClientSession {
  /** Undefined where the server gives out none, and remembers nothing. */
  readonly id: string | undefined;
  readonly #ending = new AbortController();
  isLost = false;

  constructor(response: Response) {
    this.id = response.headers.get("mcp-session-id") ?? undefined;
    if (this.id !== undefined && !visible.test(this.id))
      throw new InvalidResponseError("The server gave out a session id that no header may carry.");
  }

  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  end(): void {
    this.#ending.abort();
  }
}

/** What names a session, and the revision agreed on in it. */
export function sessionHeaders(
  session: ClientSession | undefined,
  revision: Revision | undefined,
): HeaderRecord {
  return {
    ...(session?.id !== undefined && { "mcp-session-id": session.id }),
    ...(revision?.sendsVersionHeader && { "mcp-protocol-version": revision.version }),
  };
}
