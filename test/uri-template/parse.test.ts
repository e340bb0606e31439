import { describe, expect, test } from "vitest";
import { parseUriTemplate, UriTemplateError } from "../../src/protocol/uri-template/uri-template.ts";

function errorOf(template: string): UriTemplateError {
  try {
    parseUriTemplate(template);
  } catch (error) {
    if (error instanceof UriTemplateError) return error;
    throw error;
  }
  throw new Error(`${template} was accepted`);
}

describe("parseUriTemplate", () => {
  test("lists each variable once, in order", () => {
    const { template, variables } = parseUriTemplate("x/{b}{/a:1,a}{?c*,d.e}");
    expect(template).toBe("x/{b}{/a:1,a}{?c*,d.e}");
    expect(variables).toEqual(["b", "a", "c", "d.e"]);
  });

  test.each([
    ["x/{a", 'character 3: "{" is never closed; add "}"'],
    ["x/a}", 'character 4: stray "}" or "%"; remove it, or write "%7D"'],
    ["50%/{a}", 'character 3: stray "}" or "%"'],
    ["x/{a{b}}", 'character 3: "a{b" is not a variable'],
    ["x/{}", 'character 3: "" is not a variable'],
    ["x/{?}", '"" is not a variable'],
    ["x/{a,}", '"" is not a variable'],
    ["x/{!a}", 'character 4: unknown operator "!"; use one of + # . / ; ? & or none'],
    ["x/{=a}", 'unknown operator "="'],
    ["x/{ a}", 'unknown operator " "'],
    ["x/{+?a}", 'unknown operator "?"'],
    ["x/{..a}", 'unknown operator "."'],
    ["x/{a-b}", '"a-b" is not a variable; write letters, digits and "_"'],
    ["x/{a.}", '"a." is not a variable'],
    ["x/{a:0}", '"a:0" is not a variable'],
    ["x/{a:10000}", '"a:10000" is not a variable'],
    ["x/{a:}", '"a:" is not a variable'],
    ["x/{a*:3}", '"a*:3" is not a variable'],
    ["x/{%ff}", '"%ff" is not a variable'],
    ["x/{a}/{a}", 'character 7: variable "a" is used twice; rename one'],
    ["x/{a}{?a}", 'variable "a" is used twice'],
    ["x{?a,b,a}", 'variable "a" is used twice'],
    ["x{/a,a*}", 'variable "a" is used twice'],
    ["x{?a,%61}", 'variable "a" is used twice'],
    ["x%ff/{a}", "character 1: the text has a control character, or an escape that is not UTF-8"],
    ["x\n/{a}", "control character"],
    ["x%00/{a}", "control character"],
  ])("refuses %s and says why", (template, message) => {
    const error = errorOf(template);
    expect(error.code).toBe("invalid-uri-template");
    expect(error.message).toContain(message);
  });

  test("accepts 64 variables and no more", () => {
    const names = Array.from({ length: 65 }, (_, index) => `{v${index}}`);
    expect(parseUriTemplate(names.slice(1).join("/")).variables).toHaveLength(64);
    expect(errorOf(names.join("/")).message).toContain("too many variables; use at most 64");
    expect(errorOf(`{${"a,".repeat(4000)}a}`).message).toContain("too many variables");
  });

  test("accepts 8 KiB and no more", () => {
    expect(parseUriTemplate(`${"x".repeat(8189)}{a}`).variables).toEqual(["a"]);
    expect(errorOf(`${"x".repeat(8190)}{a}`).message).toBe(
      "URI template of 8193 characters; shorten it to at most 8192.",
    );
  });

  test("does not repeat a long template in its message", () => {
    const name = "x".repeat(4000);
    for (const template of [`${name}{a`, `{${name}-}`, `{${name}}{${name}}`]) {
      expect(errorOf(template).message.length).toBeLessThan(400);
    }
  });
});
