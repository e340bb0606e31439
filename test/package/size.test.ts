import { stop } from "esbuild";
import { afterAll, describe, expect, test } from "vitest";
import { bundlers, programBytes, programs } from "../../bench/package/program-size.ts";
import { root } from "./paths.ts";

/** What a small program costs a reader, in one file, minified and gzipped; `import()` fetches the rest when it is needed. */
const maxBytes = {
  memory: 30_780,
  stdio: 43_600,
  http: 49_800,
  fetch: 47_900,
  client: 23_990,
  "HTTP client": 41_800,
} as const;

afterAll(() => stop());

describe.each(Object.keys(bundlers) as (keyof typeof bundlers)[])("bundled by %s", (bundler) => {
  test.each(Object.keys(programs) as (keyof typeof programs)[])("the %s program is small", async (key) => {
    expect(await programBytes(root, programs[key], bundler)).toBeLessThanOrEqual(maxBytes[key]);
  });
});
