import { describe, expect, it } from "vitest";
import { createSessionId } from "../../../src/transports/http/server/session/session-id.ts";
import { fuzzed } from "../../support/fuzz.ts";

describe("session ids", () => {
  it("have no duplicate, and every bit is balanced", () => {
    const count = fuzzed(50_000, 1_000_000);
    // How often each character stands in each place; counting bits at once would take longer.
    const seen = new Uint32Array(32 * 128);
    const ids = new Set<string>();
    for (let at = 0; at < count; at++) {
      const id = createSessionId();
      ids.add(id);
      for (let place = 0; place < 32; place++) {
        const cell = place * 128 + id.charCodeAt(place);
        seen[cell] = (seen[cell] ?? 0) + 1;
      }
    }
    expect(ids.size).toBe(count);
    const ones = Array.from({ length: 128 }, (_, at) => {
      const [place, bit] = [at >> 2, at & 3];
      const digits = [..."0123456789abcdef"].filter((_, value) => (value >> bit) & 1);
      return digits.reduce((sum, digit) => sum + (seen[place * 128 + digit.charCodeAt(0)] ?? 0), 0);
    });
    // Six standard deviations: by chance once in four million runs.
    const slack = 6 * Math.sqrt(count / 4);
    for (const times of ones) expect(Math.abs(times - count / 2)).toBeLessThan(slack);
    const chi = ones.reduce((sum, times) => sum + (times - count / 2) ** 2 / (count / 4), 0);
    expect(chi).toBeLessThan(128 + 6 * Math.sqrt(2 * 128));
  }, 60_000);
});
