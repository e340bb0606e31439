import { UsageError } from "../../errors.ts";
import { defaultMaxBodyBytes } from "../../protocol/parse.ts";

/** Options for a `WebSocketServer` of the package `ws`. */
export interface WebSocketLimits {
  /** Opens no port of its own: every request passes the checks of `serveHttp`. */
  readonly noServer: true;
  readonly clientTracking: false;
  readonly perMessageDeflate: false;
  readonly maxPayload: number;
  readonly maxFragments: number;
  readonly maxBufferedChunks: number;
}

/**
 * Options for `new WebSocketServer(...)` of the package `ws`, 8.21 or newer.
 *
 * The defaults of `ws` let a stranger make the process hold many times the bytes that were sent:
 * a message may come in thousands of fragments, each of which costs far more than
 * the byte in it. Give the same `maxBodyBytes` as to `serveHttp`, if you give it there.
 */
export function websocketLimits(maxBodyBytes: number = defaultMaxBodyBytes): WebSocketLimits {
  return {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxBodyBytes,
    // A fragment may keep the whole 64 KiB chunk it was read in: twice the message in all.
    maxFragments: Math.max(32, Math.ceil(maxBodyBytes / (32 * 1024))),
    // A chunk costs about 300 bytes however small it is, so all of them stay below the message's own size.
    maxBufferedChunks: Math.max(256, Math.ceil(maxBodyBytes / 1024)),
  };
}

/** Throws UsageError for a server that allows more than `websocketLimits` does. */
export function assertWebSocketLimits(options: object, maxBodyBytes: number): void {
  const given: { readonly [name: string]: unknown } = { ...options };
  if (given.noServer !== true) throw new UsageError(advice("must have noServer: true"));
  const { maxPayload, maxFragments, maxBufferedChunks } = websocketLimits(maxBodyBytes);
  for (const [name, limit] of Object.entries({ maxPayload, maxFragments, maxBufferedChunks })) {
    const value = given[name];
    // For `ws`, 0 means no limit.
    if (typeof value !== "number" || !(value > 0 && value <= limit)) {
      throw new UsageError(advice(`needs a ${name} of at most ${limit}`));
    }
  }
}

function advice(rule: string): string {
  return `The WebSocketServer ${rule}; make it with new WebSocketServer(websocketLimits(maxBodyBytes)).`;
}
