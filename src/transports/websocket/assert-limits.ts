import { UsageError } from "../../errors.ts";
import { websocketLimits } from "./limits.ts";

/** Refuses a server that was made with more than `websocketLimits` says. */
export function assertWebSocketLimits(options: object, maxBodyBytes: number): void {
  const given: { readonly [name: string]: unknown } = { ...options };
  if (given.noServer !== true) throw new UsageError(advice("must have noServer: true"));
  const { maxPayload, maxFragments, maxBufferedChunks } = websocketLimits(maxBodyBytes);
  for (const [name, limit] of Object.entries({ maxPayload, maxFragments, maxBufferedChunks })) {
    const value = given[name];
    // For `ws`, 0 is no limit at all.
    if (typeof value !== "number" || !(value > 0 && value <= limit)) {
      throw new UsageError(advice(`needs a ${name} of at most ${limit}`));
    }
  }
}

function advice(rule: string): string {
  return `The WebSocketServer ${rule}; make it with new WebSocketServer(websocketLimits(maxBodyBytes)).`;
}
