import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z40 } from "zod3/v4";
import { compileSchema } from "../../../src/schema/compile.ts";
import { compilePeerValidator } from "../../../src/schema/validator/peer-validator.ts";
import { loadConverters } from "../load-converters.ts";

await loadConverters();

async function matches(pattern: string, text: string): Promise<boolean> {
  return (await compilePeerValidator({ pattern })).validate(text).ok;
}

describe("a pattern of a peer", () => {
  it.each<[string, string, boolean]>([
    ["^a", "abc", true],
    ["b", "abc", true],
    ["^\\u0041$", "A", true],
    ["^\\p{Lu}$", "É", true],
    ["^\\d+$", "12a", false],
    ["^[\\w.-]+$", "a.b-c", true],
    ["^(?<year>\\d{4})$", "2026", true],
    ["a/b\\/c", "a/b/c", true],
    ["^.$", "🙂", true],
    ["^a$", "a\n", false],
  ])("%s on %j is %s, as in JavaScript", async (pattern, text, expected) => {
    expect(new RegExp(pattern, "u").test(text)).toBe(expected);
    expect(await matches(pattern, text)).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ["^(?!\\.)(?!.*\\.\\.)[a-z.]+$", "a.b", true],
    ["^(?!\\.)(?!.*\\.\\.)[a-z.]+$", "a..b", false],
    ["^(?!\\.)(?!.*\\.\\.)[a-z.]+$", ".ab", false],
    ["^(?=.*\\d)(?=.*[a-z]).{4,}$", "abc1", true],
    ["^(?=.*\\d)(?=.*[a-z]).{4,}$", "abcd", false],
    ["^(?!(?:a|b)c)x?.*$", "bc", false],
  ])("%s on %j is %s: leading lookaheads need no backtracking", async (pattern, text, expected) => {
    expect(new RegExp(pattern, "u").test(text)).toBe(expected);
    expect(await matches(pattern, text)).toBe(expected);
  });

  it.each(["(a)\\1", "a(?=b)", "(?<=a)b", "^(?!a)b|c", "("])(
    "%s is refused: it can't be matched in linear time",
    async (pattern) => {
      await expect(compilePeerValidator({ pattern })).rejects.toMatchObject({ reason: "bad-pattern" });
    },
  );

  it.each([
    ["a long one", "a".repeat(5_000)],
    ["a repeated repetition", "((a{30}){30}){30}"],
    ["many repetitions", Array(30).fill("a{500}").join("|")],
    ["a class without an end", "[".repeat(4_000)],
    ["braces without an end", "{1".repeat(2_000)],
  ])("%s is refused", async (_, pattern) => {
    await expect(compilePeerValidator({ pattern })).rejects.toMatchObject({ reason: "bad-pattern" });
  });

  it("that zod writes for addresses and times is understood", async () => {
    const schemas = [
      z.object({ email: z.email(), at: z.iso.datetime(), id: z.uuid(), ip: z.ipv4() }),
      z40.object({
        email: z40.string().email().regex(z40.core.regexes.email),
        at: z40.string(),
        id: z40.string(),
        ip: z40.string(),
      }),
    ];
    for (const schema of schemas) {
      const validator = await compilePeerValidator(compileSchema(schema, "output").jsonSchema);
      const value = {
        email: "ada@example.com",
        at: "2026-07-28T10:00:00Z",
        id: "123e4567-e89b-42d3-a456-426614174000",
        ip: "127.0.0.1",
      };
      expect(validator.validate(value)).toEqual({ ok: true, value });
      expect(validator.validate({ ...value, email: "ada..x@example.com" }).ok).toBe(false);
    }
  });

  it("counts against the budget by the length of what it reads", async () => {
    const validator = await compilePeerValidator({ pattern: "^[ab]*a[ab]{60}$" });
    const checked = validator.validate("ab".repeat(50_000));
    expect(checked).toMatchObject({
      ok: false,
      issues: [{ path: "", message: expect.stringContaining("budget") }],
    });
  });
});
