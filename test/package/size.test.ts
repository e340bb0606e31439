import { stop } from "esbuild";
import { afterAll, describe, expect, test } from "vitest";
import { bundlers, programBytes, programs } from "../../bench/program-size.ts";
import { root } from "./paths.ts";

/** What a small program costs a reader, in one file, minified and gzipped; `import()` fetches the rest when it is needed. */
const maxBytes = { memory: 38_100, stdio: 50_300, http: 61_500, fetch: 58_500, client: 24_900 } as const;

afterAll(() => stop());

describe.each(Object.keys(bundlers) as (keyof typeof bundlers)[])("bundled by %s", (bundler) => {
  test.each(Object.keys(programs) as (keyof typeof programs)[])("the %s program is small", async (key) => {
    expect(await programBytes(root, programs[key], bundler)).toBeLessThanOrEqual(maxBytes[key]);
  });
});
