import { expect, it } from "vitest";
import { BoundedMap } from "../../../src/lib/bounded/bounded-map.ts";

it("a full map gives the place of the entry that was set longest ago to the next one", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1).set("b", 2);
  map.set("a", 3);
  map.set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
