import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root: string = fileURLToPath(new URL("../..", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

const manifest = readJson("package.json") as Manifest;

/** What users import, with the files that answer, such as `allspeak/client`. */
export const entries: readonly { name: string; types: string; code: string }[] = Object.entries(
  manifest.exports,
).flatMap(([path, target]) =>
  typeof target === "string"
    ? []
    : [{ name: manifest.name + path.slice(1), types: target.types, code: target.default }],
);

export function readJson(path: string): unknown {
  return JSON.parse(readFileSync(`${root}/${path}`, "utf8"));
}
