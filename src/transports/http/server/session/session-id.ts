import { randomHex } from "../../../../lib/encoding/random-token.ts";

/** A session id: 128 random bits in visible ASCII. basic/transports#session-management (2025-11-25) */
export function createSessionId(): string {
  return randomHex(16);
}
