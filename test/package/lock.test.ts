import { expect, test } from "vitest";
import { readJson } from "./paths.ts";

interface Locked {
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
  const named = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  expect(named.filter((name) => !(`node_modules/${name}` in packages))).toEqual([]);
});

test("the lock names no registry, so that any mirror serves it", () => {
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});
