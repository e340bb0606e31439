import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The documents that guide contributors, and the folder that their short paths begin in. */
const documents = [
  { name: "ARCHITECTURE.md", base: "src/" },
  { name: "CONTRIBUTING.md", base: "" },
];

describe.each(documents)("$name", ({ name, base }) => {
  const paths = pathsIn(readFileSync(`${root}/${name}`, "utf8"));

  test("names files", () => {
    expect(paths.length).toBeGreaterThan(5);
  });

  test.each(paths)("%s exists", (path) => {
    const from = /^(?:test|docs|src|scripts|bench|examples)\//.test(path) ? "" : base;
    expect(existsSync(`${root}/${from}${path}`)).toBe(true);
  });
});

test("CONTRIBUTING.md says what each folder of test is for", () => {
  const named = pathsIn(readFileSync(`${root}/CONTRIBUTING.md`, "utf8"));
  const folders = readdirSync(`${root}/test`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const missing = folders.map(({ name }) => `test/${name}`).filter((folder) => !named.includes(folder));
  expect(missing).toEqual([]);
});

/** Each path that stands alone in backticks, such as `peer/peer.ts` or `client/trust/`. */
function pathsIn(text: string): string[] {
  const found = text.matchAll(/`([\w.-]+\/(?:[\w.-]+\/)*[\w.-]*)`/g);
  return [...new Set([...found].map(([, path]) => path as string))];
}
