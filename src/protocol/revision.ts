import type { SamplingRules } from "./check/sampling-rules.ts";
import type { Encoder } from "./encode/encoder.ts";
import type { WireRules } from "./encode/wire-rules.ts";
import type { Method } from "./method.ts";

/** One published revision of the protocol, and the answer to every question about it. */
export interface Revision {
  readonly version: string;
  /** The way a connection opens: by `initialize`, or not at all because each request describes its sender. */
  readonly opening: "handshake" | "each-request";
  /** The methods and notifications of both directions, by name. */
  readonly methods: ReadonlyMap<string, Method>;
  readonly receivesBatches: boolean;
  /** The way a handler asks its client: by a request of its own, or by a result that asks for another round. */
  readonly asking: "live" | "rounds";
  readonly subscribing: "each-resource" | "listen";
  readonly logLevelFrom: "session" | "request";
  /** The place where a caller learns that its arguments don't fit a tool. server/tools#error-handling (2025-11-25) */
  readonly badArguments: "result" | "error";
  readonly missingResourceCode: number;
  /** The `id` of an answer to a request whose own id could not be read. */
  readonly unreadableId: "null" | "absent";
  /** Results carry the time that they may be cached. server/utilities/caching#cacheable-results (2026-07-28) */
  readonly cacheHints: boolean;
  /**
   * A stream begins with an event to resume from, so that either side may close the connection.
   *
   * basic/transports#sending-messages-to-the-server (2025-11-25)
   */
  readonly pollsStreams: boolean;
  /**
   * Requests over HTTP name the agreed revision in a header.
   *
   * basic/transports#protocol-version-header (2025-06-18)
   */
  readonly sendsVersionHeader: boolean;
  /**
   * Requests over HTTP repeat their target, and the arguments that its tool marks, in headers.
   *
   * basic/transports/streamable-http#request-metadata (2026-07-28)
   */
  readonly requestHeaders: boolean;
  /**
   * Closing the connection of a request cancels it, where each request has its own; otherwise a notification does.
   *
   * basic/patterns/cancellation#transport-specific-cancellation (2026-07-28)
   */
  readonly cancelsByClosing: boolean;
  readonly elicitationModes: ReadonlySet<"form" | "url">;
  /**
   * A URL elicitation has an id, under which the client is notified of its completion.
   *
   * client/elicitation#url-mode-elicitation-requests (2025-11-25)
   */
  readonly hasElicitationIds: boolean;
  /** Forms may let the user choose several values. client/elicitation#requested-schema (2025-11-25) */
  readonly multipleChoice: boolean;
  readonly sampling: SamplingRules;
  /** The side that decides that a call becomes a task; `none` where there are no tasks. */
  readonly tasks: "by-receiver" | "by-sender" | "none";
  /** Its differences from the neutral model, which `encode` follows. */
  readonly rules: WireRules;
  readonly encode: Encoder;
}
