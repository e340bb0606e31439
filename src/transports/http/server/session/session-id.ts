import { randomHex } from "../../../../lib/random-token.ts";

/** 128 random bits in visible ASCII, which nobody can guess. */
export function createSessionId(): string {
  return randomHex(16);
}
