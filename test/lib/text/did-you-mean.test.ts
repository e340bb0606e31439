import { describe, expect, test } from "vitest";
import { didYouMean } from "../../../src/lib/text/did-you-mean.ts";

const hint = (name: string) => `; did you mean "${name}"?`;
const many = (count: number, toName: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => toName(i));

describe("the hint at a name", () => {
  test.each([
    ["serach", "search"],
    ["Search", "search"],
    ["sarch", "search"],
    ["searching", "search"],
    ["input", "inputSchema"],
    ["get-wether-forecast", "get-weather-forecast"],
    ["teh", "the"],
  ])("of %s is %s", (given, meant) => {
    expect(didYouMean(given, ["unlike", meant, "another"])).toBe(hint(meant));
  });

  test.each([
    ["a", "b"],
    ["", "a"],
    ["add", "list"],
    ["search", "delete"],
    ["x".repeat(65), "x".repeat(64)],
  ])("of %s is not %s", (given, other) => {
    expect(didYouMean(given, [other])).toBe("");
  });

  test("is the closest name, and the first of those that are equally close", () => {
    expect(didYouMean("serch", ["serxh1", "search", "perch"])).toBe(hint("search"));
  });
});

describe("the work of a lookup", () => {
  const meant = "get-weather-forecast-now";
  const given = "get-weather-forecats-now";

  test("is not spent on names that are too long or too short", () => {
    const others = many(10_000, (i) => (i % 2 ? meant.slice(0, 12) : `${meant}-and-tomorrow`));
    expect(didYouMean(`${given}x`, [...others.map((name) => `z${name}`), meant])).toBe(hint(meant));
  });

  test("ends early for names that have little in common", () => {
    const others = many(500, (i) => String(i).padStart(given.length, "unlike"));
    expect(didYouMean(given, [...others, meant])).toBe(hint(meant));
  });

  test("has an end, however alike the names are", () => {
    const alike = "n".repeat(40);
    const others = many(1_000, () => `${alike}${"y".repeat(24)}`);
    const close = `${alike}${"x".repeat(23)}z`;
    expect(didYouMean(`${alike}${"x".repeat(24)}`, [close])).toBe(hint(close));
    expect(didYouMean(`${alike}${"x".repeat(24)}`, [...others, close])).toBe("");
  });
});
