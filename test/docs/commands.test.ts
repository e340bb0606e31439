import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import config from "../../vitest.config.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};
const contributing = readFileSync(`${root}/CONTRIBUTING.md`, "utf8");

const projects = (config.test?.projects ?? []).map(
  (project) => (project as { readonly test: { readonly name: string } }).test.name,
);

/** The projects that a script of package.json runs. */
function runBy(script: string): string[] {
  return [...(scripts[script] ?? "").matchAll(/--project (\w+)/g)].map(([, name = ""]) => name);
}

test("npm test and npm run test:wide run every project, each once", () => {
  expect([...runBy("test"), ...runBy("test:wide")]).toEqual(projects);
});

test("CONTRIBUTING.md describes every project", () => {
  expect(projects.filter((name) => !contributing.includes(`| \`${name}\` |`))).toEqual([]);
});

test("every npm script that CONTRIBUTING.md names exists", () => {
  const named = [...contributing.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
