import type { Encoder } from "./encode/encoder.ts";
import type { Method } from "./method.ts";

/** One published revision of the protocol, and the answer to every question about it. */
export interface Revision {
  readonly version: string;
  /** How a conversation opens: by `initialize`, or not at all because each request says who speaks. */
  readonly opening: "handshake" | "each-request";
  /** What can be said, by name, in both directions. */
  readonly methods: ReadonlyMap<string, Method>;
  readonly receivesBatches: boolean;
  /** How a handler asks its client: a request of its own, or a result that asks for another round. */
  readonly asking: "live" | "rounds";
  readonly subscribing: "each-resource" | "listen";
  readonly logLevelFrom: "session" | "request";
  /** Where a caller learns that its arguments don't fit a tool. */
  readonly badArguments: "result" | "error";
  readonly missingResourceCode: number;
  /** What stands for an id that could not be read. */
  readonly unreadableId: "null" | "absent";
  /** Whether answers say how long they may be cached. */
  readonly cacheHints: boolean;
  /** Whether a stream begins with an event to resume from, so that either side may let go of the connection. */
  readonly pollsStreams: boolean;
  /** Whether requests over HTTP name the agreed revision in a header. */
  readonly sendsVersionHeader: boolean;
  /** Whether requests over HTTP repeat their target, and the arguments that its tool marks, in headers. */
  readonly requestHeaders: boolean;
  /** Closing the connection of a request cancels it, where each request has its own; otherwise a notification does. */
  readonly cancelsByClosing: boolean;
  readonly elicitationModes: ReadonlySet<"form" | "url">;
  /** Whether a page to visit has an id, under which the client hears that the visit is over. */
  readonly hasElicitationIds: boolean;
  /** Whether a form may let the user choose several. */
  readonly multipleChoice: boolean;
  /** Whether a server may lend the client's model tools. */
  readonly samplingTools: boolean;
  /** Who decides that a call becomes a task: whoever answers it, whoever sends it, or nobody, as there are none. */
  readonly tasks: "by-receiver" | "by-sender" | "none";
  readonly encode: Encoder;
}
