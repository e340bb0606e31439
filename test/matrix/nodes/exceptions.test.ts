import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { exceptions } from "./exceptions.ts";

const tests = fileURLToPath(new URL("../..", import.meta.url));

it("each case that is left out at nodes exists", () => {
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" });
  const texts = files
    .filter((file) => /\.(e2e|matrix)\.test\.ts$/.test(file))
    .map((file) => readFileSync(`${tests}/${file}`, "utf8"));
  const named = exceptions.flatMap(({ cases }) =>
    Object.entries(cases).flatMap(([suite, names]) => names.map((name) => ({ suite, name }))),
  );
  const unknown = named.filter(
    ({ suite, name }) =>
      !texts.some(
        (text) =>
          new RegExp(`describe(Matrix|Revisions)\\("${suite}"`).test(text) && text.includes(`it("${name}"`),
      ),
  );
  expect(unknown).toEqual([]);
});
