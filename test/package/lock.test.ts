import { expect, test } from "vitest";
import { readJson } from "./paths.ts";

interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = readJson("package-lock.json") as { packages: Readonly<Record<string, Locked>> };

test("installing allspeak installs at most six packages", () => {
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== "" && !dev);
  expect(installed.length + 1).toBeLessThanOrEqual(6);
});

test("the lock names the binaries of every platform (node scripts/complete-lock.js adds them)", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).filter(([name, version]) => !isLocked(path, name, version)),
  );
  expect(missing).toEqual([]);
});

/** Looks where Node would: below the package that wants it, then further up. An exact version must be that one. */
function isLocked(path: string, name: string, version: string): boolean {
  const folders = path
    .split("/node_modules/")
    .map((_, at, parts) => parts.slice(0, at + 1).join("/node_modules/"));
  const found = [
    ...folders.reverse().map((folder) => `${folder}/node_modules/${name}`),
    `node_modules/${name}`,
  ]
    .map((place) => packages[place])
    .find((entry) => entry !== undefined);
  return found !== undefined && (!/^\d/.test(version) || found.version === version);
}

test("the lock names no registry, so that any mirror serves it", () => {
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});
