import fc from "fast-check";
import { expect, it } from "vitest";
import { IdMap } from "../../src/lib/id-map.ts";

it("holds what a Map holds, whatever comes and goes", () => {
  const ids = [...Array.from({ length: 60 }, (_, at) => at - 5), "", "1", "a.1", "a.2", "b.1"];
  const step = fc.record({ id: fc.constantFrom(...ids), adds: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const map = new IdMap<{ id: string | number; at: number }>();
      const model = new Map<string | number, { id: string | number; at: number }>();
      for (const [at, { id, adds }] of steps.entries()) {
        if (!adds) {
          map.delete(id);
          model.delete(id);
        } else {
          map.add({ id, at });
          model.set(id, { id, at });
        }
        expect(map.size).toBe(model.size);
        expect(ids.map((id) => map.get(id))).toEqual(ids.map((id) => model.get(id)));
      }
      expect(new Set(map.all())).toEqual(new Set(model.values()));
    }),
  );
});

it("takes many items at once, and is empty when they are gone", () => {
  const map = new IdMap<{ id: string | number }>();
  const ids = Array.from({ length: 5_000 }, (_, at) => at * 16);
  for (const id of ids) map.add({ id });
  expect(ids.filter((id) => map.get(id)?.id !== id)).toEqual([]);
  for (const id of ids) map.delete(id);
  expect(map.all()).toEqual([]);
  map.add({ id: 3 });
  expect(map.get(3)).toEqual({ id: 3 });
});

it("takes a text for another key than the number that it spells", () => {
  const map = new IdMap<{ id: string | number }>();
  map.add({ id: 1 });
  expect(map.get("1")).toBeUndefined();
  expect(map.get(1)).toEqual({ id: 1 });
});
