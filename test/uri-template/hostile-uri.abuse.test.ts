import { describe, expect, test } from "vitest";
import { parseUriTemplate } from "../../src/protocol/uri-template/uri-template.ts";
import { open, simple, withValue } from "./templates.ts";

function match(template: string, escaped: string) {
  return parseUriTemplate(template).match(withValue(template, escaped));
}

test("a brace is part of a value only where it is escaped, as in every URI", () => {
  for (const template of [...simple, ...open]) {
    for (const raw of ["{a}", "x{", "}x"]) expect(match(template, raw), template).toBe(undefined);
    expect(match(template, "%7Ba%7D"), template).toBeDefined();
  }
});

describe("a value that leads out of a folder", () => {
  const everywhere = [
    "..",
    ".",
    "%2e%2e",
    "%2E.",
    ".%2e",
    "..%2F",
    "..%2fetc%2fpasswd",
    "a%2F..%2F..%2Fb",
    "..%5c",
    "..%5Cwindows",
    "a%5C..%5Cb",
    "a%2F.",
    "%2e%2e%2f%2e%2e%2f",
    "%252e%252e",
    "..%252fetc",
    "%25252e%25252e%25255c",
    ".%09.",
    "..%0A%2Fa",
    "..%20",
    "..%3Bx%2Fa",
    "..%3Fa",
    "..%23a",
    "a%00b",
    "%00",
  ];

  test.each(everywhere)("%s is refused by every operator", (escaped) => {
    for (const template of [...simple, ...open]) {
      expect(match(template, "ordinary"), template).toBeDefined();
      expect(match(template, escaped), template).toBe(undefined);
    }
  });

  test.each([
    "../etc",
    "a/../b",
    "a/./b",
    "a/..",
    "./a",
    "/..",
    "a/%2e%2e/b",
    "a\\..\\b",
    "..;/a",
    "..?x",
    "a/.%2E#x",
  ])("%s is refused by reserved expansion", (raw) => {
    expect(match("file:///{+a}", raw)).toBe(undefined);
    expect(match("file:///x{#a}", raw)).toBe(undefined);
  });

  test.each(["a%2Fb", "a%2fb", "%2Fetc%2Fpasswd", "a%5Cb", "a\\b", "%5C%5Chost%5Cshare"])(
    "%s is refused where a value is one segment",
    (escaped) => {
      for (const template of simple) expect(match(template, escaped), template).toBe(undefined);
    },
  );

  test("a raw slash never gets into a simple variable", () => {
    expect(match("file:///{a}", "a/b")).toBe(undefined);
    expect(match("file:///{a}", "/etc/passwd")).toBe(undefined);
    expect(match("file:///{a}", "//host/share")).toBe(undefined);
  });

  test("one bad item spoils a list, and one bad key or value an associative array", () => {
    for (const items of ["/a/../b", "/a/%2e%2e", "/a/b%2Fc", "/a=../b=c", "/a=1/..=2"]) {
      expect(parseUriTemplate("x{/a*}").match(`x${items}`), items).toBe(undefined);
    }
    expect(parseUriTemplate("x{?a*}").match("x?b=1&c=..")).toBe(undefined);
    expect(parseUriTemplate("x{?a*}").match("x?b=1&..=c")).toBe(undefined);
  });

  test("ordinary dots are not mistaken for it", () => {
    for (const name of ["a.b", "...", "..a", ".env", "a..", "v1.2", ".a.", "a. ."]) {
      expect({ ...match("file:///{a}", encodeURIComponent(name)) }).toEqual({ a: name });
      expect({ ...match("file:///{+a}", `x/${encodeURIComponent(name)}/y`) }).toEqual({ a: `x/${name}/y` });
    }
  });
});

describe("a malformed URI", () => {
  test.each([
    "%",
    "%4",
    "%zz",
    "a%",
    "%C3",
    "%C3%28",
    "%FF",
    "%ED%A0%80",
    "%C0%AE%C0%AE",
    "%F4%90%80%80",
    "a\nb",
    "\0",
    "\ud800",
  ])("%j does not match", (escaped) => {
    for (const template of [...simple, ...open]) expect(match(template, escaped), template).toBe(undefined);
  });

  test("cannot pass off a noncharacter as an escaped reserved character", () => {
    for (const escaped of ["\ufdd1", "%EF%B7%91", "%ef%b7%91", "..\ufdd1..", "\ufdef"]) {
      expect(match("file:///{a}", escaped)).toBe(undefined);
      expect(match("file:///{+a}", escaped)).toBe(undefined);
    }
  });

  test("a URI over 1 MiB is not read", () => {
    const template = parseUriTemplate("x{a}");
    expect(template.match(`x${"a".repeat(1_048_575)}`)).toBeDefined();
    expect(template.match(`x${"a".repeat(1_048_576)}`)).toBe(undefined);
  });
});
