import { expect, test } from "vitest";
import { read } from "./fixtures/framing.ts";

test("a line of nothing but openings is given up on soon", () => {
  const line = `x${'{"id":'.repeat(200_000)}}`;
  const startedAt = performance.now();
  expect(read([`${line}\n`], { strayOutput: "skip" })).toHaveLength(1);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
