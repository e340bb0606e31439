import { expect, it } from "vitest";
import { ExpiringMap } from "../../../src/lib/bounded/expiring-map.ts";

const longMs = 60_000;

it("refuses one more than it may keep, and takes it when another has gone", () => {
  const map = new ExpiringMap<number>(3);
  for (const key of ["a", "b", "c"]) map.set(key, 1, longMs);
  expect(() => map.set("d", 1, longMs)).toThrow("its limit");
  map.set("a", 2, longMs);
  map.delete("b");
  map.set("d", 1, longMs);
  expect(map.get("a")?.value).toBe(2);
});

it("makes room by forgetting what has expired", () => {
  const map = new ExpiringMap<number>(2000);
  for (let at = 0; at < 2000; at++) map.set(`old ${at}`, at, -1);
  for (let at = 0; at < 2000; at++) map.set(`new ${at}`, at, longMs);
  expect(map.get("new 1999")?.value).toBe(1999);
  expect(() => map.set("one more", 0, longMs)).toThrow("its limit");
});
