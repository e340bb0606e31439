import fc from "fast-check";
import { expect, it } from "vitest";
import { ShortLivedMap } from "../../src/lib/short-lived-map.ts";

const many = [...Array.from({ length: 30 }, (_, at) => at), "", "1", "a.1"];

it.each([
  ["one", [1]],
  ["few", [0, "", "0"]],
  ["many", many],
])("holds what a Map holds, in its order, whatever comes and goes of %s", (_, keys) => {
  const step = fc.record({ key: fc.constantFrom(...keys), adds: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { minLength: 200, maxLength: 600 }), (steps) => {
      const map = new ShortLivedMap<string | number, number>();
      const model = new Map<string | number, number>();
      for (const [at, { key, adds }] of steps.entries()) {
        if (adds) map.set(key, at);
        else map.delete(key);
        if (adds) model.set(key, at);
        else model.delete(key);
        expect(map.get(key)).toBe(model.get(key));
      }
      expect(map.size).toBe(model.size);
      expect(map.all()).toEqual([...model.values()]);
      expect(keys.map((key) => map.get(key))).toEqual(keys.map((key) => model.get(key)));
    }),
    { numRuns: 50 },
  );
});
