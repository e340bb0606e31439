import { defaultMaxBodyBytes } from "../../protocol/parse.ts";

/** What a `WebSocketServer` of the package `ws` is made with. */
export interface WebSocketLimits {
  /** It opens no port of its own: everything comes through the guard of `serveHttp`. */
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
 * What `ws` allows by default lets a stranger make the process hold many times what it
 * sends: a message may come in thousands of fragments, each of which costs far more than
 * the byte in it. Give the same `maxBodyBytes` as to `serveHttp`, if you give it there.
 */
export function websocketLimits(maxBodyBytes: number = defaultMaxBodyBytes): WebSocketLimits {
  return {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxBodyBytes,
    // A fragment may hold on to the whole piece it was read in, of 64 KiB: twice the message in all.
    maxFragments: Math.max(32, Math.ceil(maxBodyBytes / (32 * 1024))),
    // A piece costs some 300 bytes however small it is, so all of them stay below the message's own size.
    maxBufferedChunks: Math.max(256, Math.ceil(maxBodyBytes / 1024)),
  };
}
