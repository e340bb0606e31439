// Every parser that strangers reach is tried with random input.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import config from "../vitest.config.ts";
import { fuzzTargets } from "./support/fuzz.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));

it("every parser that strangers reach is tried with random input", () => {
  const texts = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".fuzz.test.ts") && !path.includes("node_modules"))
    .map((path) => readFileSync(`${folder}${path}`, "utf8"));
  const tried = (target: string) => texts.some((text) => new RegExp(`fuzz\\(\\s*"${target}"`).test(text));
  expect(fuzzTargets.filter((target) => !tried(target))).toEqual([]);
  expect(fuzzTargets).toHaveLength(8);
});

it("they are all in the project that tries all cases", () => {
  const projects = config.test?.projects as { readonly test: object }[];
  const include = expect.arrayContaining(["test/**/*.fuzz.test.ts"]);
  const wanted = { name: "fuzz", include, provide: { fuzz: "whole" } };
  expect(projects.map(({ test }) => test)).toContainEqual(expect.objectContaining(wanted));
});
