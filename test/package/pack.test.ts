import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { entries, root } from "./paths.ts";

const published =
  /^(dist\/.+\.(js|js\.map|d\.ts)|docs\/.+\.md|(README|CHANGELOG|ARCHITECTURE|CONTRIBUTING)\.md|LICENSE|package\.json)$/;

test("the package holds its code, types and documents, and nothing else", () => {
  const paths = packedPaths();
  expect(paths.filter((path) => !published.test(path))).toEqual([]);
  expect(paths).toEqual(expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md", "package.json"]));
});

test("the package holds what its exports name", () => {
  const named = entries.flatMap(({ types, code }) => [types, code]).map((path) => path.replace("./", ""));
  expect(packedPaths()).toEqual(expect.arrayContaining(named));
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
