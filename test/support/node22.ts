import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ofConformanceSuite = fileURLToPath(
  new URL("../conformance/suite/node_modules/.bin/node", import.meta.url),
);

/** A Node that has `node:sqlite`: this one, or that of the official suite. Undefined where there is none, but never in CI. */
export const node22: string | undefined = findNode();

function findNode(): string | undefined {
  if (process.getBuiltinModule("node:sqlite")) return process.execPath;
  if (existsSync(ofConformanceSuite)) return ofConformanceSuite;
  if (process.env.CI) throw new Error("There is no Node 22: run `npm ci` in test/conformance/suite.");
  return undefined;
}
