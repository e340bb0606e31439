import { describe, expect, test } from "vitest";
import { RetryDelay, reconnectSpreadMs } from "../../../src/transports/http/client/recovery/retry-delay.ts";

const least = () => 0;
const most = () => 1;

function delays(count: number, delay: RetryDelay, retryMs?: number): number[] {
  return Array.from({ length: count }, () => delay.next(retryMs));
}

describe("how long to wait", () => {
  test("grows from half a second to half a minute, half of it by chance", () => {
    expect(delays(9, new RetryDelay(250, least))).toEqual([
      250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000,
    ]);
    expect(delays(9, new RetryDelay(250, most))).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
    ]);
  });

  test("is never less than a quarter of a second, whatever the server says", () => {
    expect(new RetryDelay(0, least).next(0)).toBe(250);
    expect(new RetryDelay(0, least).next(-5)).toBe(250);
  });

  test("is at least what the server asks for, up to ten minutes", () => {
    expect(delays(3, new RetryDelay(250, least), 3_000)).toEqual([3_000, 3_000, 3_000]);
    expect(new RetryDelay(250, least).next(10 ** 12)).toBe(600_000);
  });

  test("allows at most six attempts in five seconds", () => {
    for (const spread of [250, reconnectSpreadMs]) {
      const delay = new RetryDelay(spread, least);
      let attempts = 1;
      for (let now = delay.next(0); now < 5_000; now += delay.next(0)) attempts++;
      expect(attempts).toBeLessThanOrEqual(6);
    }
  });

  test("starts from the beginning only after five seconds of health", () => {
    const delay = new RetryDelay(250, least);
    delays(3, delay);
    delay.resetAfter(4_999);
    expect(delay.next()).toBe(2_000);
    delay.resetAfter(5_000);
    expect(delay.next()).toBe(250);
  });

  test("spreads a crowd, also one that is cut again and again: no tenth of a second sees more than a fifth of a thousand clients", () => {
    // A fixed sequence, so that the outcome does not depend on luck.
    let seed = 42;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed / 2 ** 31;
    };
    const crowd = Array.from({ length: 1_000 }, () => new RetryDelay(reconnectSpreadMs, random));
    for (let cut = 1; cut <= 6; cut++) {
      const times = crowd.map((delay) => delay.next()).sort((a, b) => a - b);
      const fullest = Math.max(
        ...times.map((from) => times.filter((at) => at >= from && at < from + 100).length),
      );
      expect(fullest).toBeLessThanOrEqual(200);
      expect(times.at(-1)).toBeLessThan(35_000);
    }
  });
});
