import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { entries, readJson, root } from "./paths.ts";

const published =
  /^(dist\/.+\.(js|js\.map|d\.ts)|dist\/inspector\/page\/.+\.(html|css|svg)|docs\/.+\.(md|svg|png)|llms\.txt|(README|CHANGELOG|ARCHITECTURE|CONTRIBUTING)\.md|LICENSE|package\.json)$/;

test("the package holds its code, types and documents, and nothing else", () => {
  const paths = packedPaths();
  expect(paths.filter((path) => !published.test(path))).toEqual([]);
  expect(paths).toEqual(expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md", "package.json"]));
});

test("the package holds what its exports name", () => {
  const named = entries.flatMap(({ types, code }) => [types, code]).map((path) => path.replace("./", ""));
  expect(packedPaths()).toEqual(expect.arrayContaining(named));
});

test("source maps name the sources that the code was made of", () => {
  const maps = packedPaths().filter((path) => path.endsWith(".js.map"));
  const sources = maps.flatMap((path) => {
    const { sources } = readJson(path) as { sources: string[] };
    return sources.map((source) => join(root, dirname(path), source));
  });
  expect(sources).toContain(join(root, "src/peer/peer.ts"));
  expect(sources.filter((source) => !existsSync(source))).toEqual([]);
});

function packedPaths(): string[] {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    shell: process.platform === "win32",
  });
  const [packed] = JSON.parse(output) as [{ files: { path: string }[] }];
  return packed.files.map(({ path }) => path);
}
