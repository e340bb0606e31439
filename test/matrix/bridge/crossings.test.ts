import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { crossings } from "./crossings.ts";

const tests = fileURLToPath(new URL("../..", import.meta.url));
const titles = /\b(?:it|describe)(?:\.each\([\s\S]*?\))?\(\s*(["'`])((?:\\.|(?!\1)[\s\S])*)\1/g;

/** Patterns of all titles of the cases that run through a bridge. */
function readTitles(): RegExp[] {
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /\.(?:e2e|matrix)\.test\.ts$/.test(file))
    .flatMap((file) =>
      [...readFileSync(`${tests}/${file}`, "utf8").matchAll(titles)].map(([, , title = ""]) =>
        toPattern(title),
      ),
    );
}

function toPattern(title: string): RegExp {
  const escaped = title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/%s|\\\$\\\{.*?\\\}/g, ".+")}$`);
}

it("each case that a bridge changes exists", () => {
  const known = readTitles();
  const named = crossings.flatMap(({ cases }) => Object.values(cases).flat());
  const unknown = named.filter((name) => {
    const title = name.split(" > ").at(-1) ?? "";
    return !known.some((pattern) => pattern.test(title));
  });
  expect(unknown).toEqual([]);
});
