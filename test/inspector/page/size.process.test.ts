import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { root } from "../../package/paths.ts";

test("the page weighs less than 150 KB at first load", () => {
  const folder = `${root}/dist/inspector/page`;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const weights = files.map((file) => gzipSync(readFileSync(`${file.parentPath}/${file.name}`)).length);
  expect(files.map(({ name }) => name)).toContain("index.html");
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThan(150_000);
});
