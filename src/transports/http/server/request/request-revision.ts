import { hasProtocolVersion } from "../../../../protocol/meta.ts";
import type { SupportedRevisions } from "../../../../protocol/negotiate.ts";
import type { Revision } from "../../../../protocol/revision.ts";
import type { HttpRequest } from "../http-interface.ts";
import type { PostedMessage } from "./posted-message.ts";

export const versionHeader = "mcp-protocol-version";

/** The revision of an HTTP request, by its metadata, its header, or the lack of both. */
export class RequestRevision {
  readonly supported: SupportedRevisions;
  /** True when the server speaks a revision that opens with a handshake. */
  readonly opensSessions: boolean;
  readonly #withoutHeader: Revision | undefined;

  constructor(supported: SupportedRevisions) {
    this.supported = supported;
    const withSessions = supported.opening("handshake");
    this.opensSessions = withSessions.length > 0;
    // basic/transports#protocol-version-header (2025-11-25): a request without the header is of 2025-03-26,
    // the last revision before the header. A server that does not speak it assumes its oldest one with sessions.
    this.#withoutHeader =
      withSessions.find((revision) => !revision.sendsVersionHeader) ?? withSessions.at(-1);
  }

  /** Returns whether a message names a revision without sessions, in its metadata or in the header. */
  isStateless(http: HttpRequest, message: PostedMessage): boolean {
    if (!this.opensSessions) return true;
    if ("params" in message && hasProtocolVersion(message.params)) return true;
    const version = readVersionHeader(http);
    return version !== undefined && this.supported.find(version)?.opening === "each-request";
  }

  /** The revision that the header names, if it is supported. */
  inHeader(http: HttpRequest): Revision | undefined {
    const version = readVersionHeader(http);
    return version === undefined ? undefined : this.supported.find(version);
  }

  /** Returns whether the header names another revision than that of the session. */
  contradicts(http: HttpRequest, agreed: Revision): boolean {
    const version = readVersionHeader(http);
    return version !== undefined && version !== agreed.version;
  }

  /** The id for the answer to a request whose own can't be read. */
  unreadableId(http: HttpRequest): null | undefined {
    return this.inSession(http)?.unreadableId === "null" ? null : undefined;
  }

  /** The revision of a request that belongs to a session; undefined when the header names one that is not supported. */
  inSession(http: HttpRequest): Revision | undefined {
    const version = readVersionHeader(http);
    return version === undefined ? this.#withoutHeader : this.supported.find(version);
  }
}

function readVersionHeader(http: HttpRequest): string | undefined {
  return http.header(versionHeader)?.trim();
}
