import { describe, expect, test } from "vitest";
import { parseUriTemplate } from "../../src/protocol/uri-template/uri-template.ts";

function match(template: string, uri: string) {
  const values = parseUriTemplate(template).match(uri);
  return values && { ...values };
}

type Row = [template: string, uri: string, values: Record<string, unknown> | undefined];

function table(rows: readonly Row[]): void {
  test.each(rows)("%s and %s", (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });
}

describe("literal text", () => {
  table([
    ["file:///a", "file:///a", {}],
    ["file:///a", "file:///ab", undefined],
    ["file:///a", "xfile:///a", undefined],
    ["x/{a}/y", "x/1/y", { a: "1" }],
    ["x/{a}/y", "x/1/y/", undefined],
    ["x/{a}/y", "x/1/z", undefined],
    ["x/{a}/y", "x/y", undefined],
    ["aba{a}aba", "aba", undefined],
    ["aba{a}aba", "ababaaba", { a: "ba" }],
    ["{a}aab{b}", "aaaab!", { a: "aa", b: "!" }],
    ["caf\u00e9/{a}", "caf%C3%A9/1", { a: "1" }],
    ["caf%c3%a9/{a}", "caf\u00e9/1", { a: "1" }],
    ["x%2Fy/{a}", "x%2fy/1", { a: "1" }],
    ["x%2Fy/{a}", "x/y/1", undefined],
    ["x/y/{a}", "x%2Fy/1", undefined],
    ["", "", {}],
  ]);
});

describe("a simple variable", () => {
  table([
    ["x/{a}", "x/", { a: "" }],
    ["x/{a}", "x/caf%C3%A9%20%F0%9F%98%80", { a: "caf\u00e9 \u{1f600}" }],
    ["x/{a}", "x/caf\u00e9", { a: "caf\u00e9" }],
    ["x/{a}", "x/a b", { a: "a b" }],
    ["x/{a}", "x/50%25", { a: "50%" }],
    ["x/{a}", "x/%2525", { a: "%25" }],
    ["x/{a}", "x/a%2Cb%3Fc%23d%26e%3D", { a: "a,b?c#d&e=" }],
    ["x/{a}", "x/1?b=2", undefined],
    ["x/{a}", "x/1#b", undefined],
    ["x/{a}", "x/a,b", undefined],
    ["x://{a}", "x://bob@example.com:80/", undefined],
    ["x://{a}", "x://bob@example.com:80", { a: "bob@example.com:80" }],
    ["x/{a}", "x/it's(*)!", { a: "it's(*)!" }],
    ["{a}:{b}", "x%3Ay:z", { a: "x:y", b: "z" }],
    ["{a}:{+b}", "x:y:z", { a: "x", b: "y:z" }],
    ["{+a}:{b}", "x:y:z", { a: "x:y", b: "z" }],
    ["{a}:{b}", "x:y:z", undefined],
    ["{x,y}", "1024,768", { x: "1024", y: "768" }],
    ["{x,y}", "1024,", { x: "1024", y: "" }],
    ["{x,y}", "1024", { x: "1024" }],
    ["{x,y}", "1,2,3", undefined],
    ["{x,x}", "1,1", { x: "1" }],
    ["{x,x}", "1,2", undefined],
  ]);
});

describe("a value that ends where the next begins", () => {
  table([
    ["x{a}{b}{c}y", "x123y", { a: "", b: "", c: "123" }],
    ["db://{a}-{b}-{c}!", "db://1-2-3-4!", { a: "1", b: "2", c: "3-4" }],
    ["db://{a}-{b}-{c}!", "db://1-2!", undefined],
    ["{name}.{ext}", "a.tar.gz", { name: "a", ext: "tar.gz" }],
    ["{name}{.ext}", "a.gz", { name: "a", ext: "gz" }],
    ["{name}{.ext}", "a", { name: "a" }],
    ["{+dir}/{name}", "a/b/c", { dir: "a/b", name: "c" }],
    ["{+dir}{.ext}", "a.d/b.txt", { dir: "a.d/b", ext: "txt" }],
    ["{;a}{b}", ";a", { a: "", b: "" }],
    ["{a*}{/b}", "1,2/3", { a: ["1", "2"], b: "3" }],
  ]);
});

describe("a length limit", () => {
  table([
    ["{a:3}", "abc", { a: "abc" }],
    ["{a:3}", "ab", { a: "ab" }],
    ["{a:3}", "abcd", undefined],
    ["{a:2}", "%F0%9F%98%80\u{1f600}", { a: "\u{1f600}\u{1f600}" }],
    ["{a:1}", "%F0%9F%98%80\u{1f600}", undefined],
    ["{a:2}{b}", "abcd", { a: "ab", b: "cd" }],
    ["{a:1}{b}", "\u{1f600}\u{1f600}", { a: "\u{1f600}", b: "\u{1f600}" }],
    ["{a}{b:2}!", "abcd!", { a: "ab", b: "cd" }],
    ["{/var:1,var}", "/v/value", { var: "value" }],
    ["{/var,var:1}", "/value/v", { var: "value" }],
    ["{/var:1,var}", "/x/value", undefined],
    ["{/var:2,var}", "/v/value", undefined],
    ["x{?a:3}", "x?a=abc", { a: "abc" }],
    ["x{?a:3}", "x?a=abcd", undefined],
    ["{+a:3}/{b}", "a/b/c", { a: "a/b", b: "c" }],
  ]);
});

describe("reserved and fragment variables", () => {
  table([
    ["file://{+path}", "file:///a/b.txt", { path: "/a/b.txt" }],
    ["x{+a}", "x", { a: "" }],
    ["x{+a}", "x?b=1#c", { a: "?b=1#c" }],
    ["x{+a}", "x%2Fb%20c", { a: "/b c" }],
    ["{+x,hello,y}", "1024,Hello%20World!,768", { x: "1024", hello: "Hello World!", y: "768" }],
    ["{+a}{?b}", "x?b=1", { a: "x", b: "1" }],
    ["x{#a}", "x#/b?c", { a: "/b?c" }],
    ["x{#a}", "x#", { a: "" }],
    ["x{#a}", "x", {}],
    ["x{#a,b}", "x#1,2", { a: "1", b: "2" }],
    ["x{#a,b}", "x,2", undefined],
    ["x{#a*}", "x#1,b=2", { a: ["1", "b=2"] }],
  ]);
});

describe("label and path variables", () => {
  table([
    ["x{.a}", "x.1", { a: "1" }],
    ["x{.a,b}", "x.1.2", { a: "1", b: "2" }],
    ["x{.a*}", "x.1.2", { a: ["1", "2"] }],
    ["x{/a}", "x", {}],
    ["x{/a}", "x/", { a: "" }],
    ["x{/a}", "x/1/2", undefined],
    ["x{/a,b}", "x/1", { a: "1" }],
    ["x{/a}{/b}", "x/1/2", { a: "1", b: "2" }],
    ["x{/a*}", "x", {}],
    ["x{/a*}", "x/", { a: [""] }],
    ["x{/a*}", "x/1//2%2C", { a: ["1", "", "2,"] }],
    ["x{/a*}/y", "x/1/y/y", { a: ["1", "y"] }],
    ["x{/a*}{/b}", "x/1/2/3", { a: ["1", "2"], b: "3" }],
    ["x{/a*}", "x/semi=%3B/eq=%3D", { a: { semi: ";", eq: "=" } }],
    ["x{/a*}", "x/b=1/c", undefined],
    ["x{/a*}", "x/b=1/b=2", undefined],
    ["x{/a*}", "x/b=1=2", undefined],
    ["x{a*}", "x1,2", { a: ["1", "2"] }],
    ["x{a*}", "x", {}],
  ]);
});

describe("path parameters", () => {
  table([
    ["x{;a,b}", "x;a=1;b=2", { a: "1", b: "2" }],
    ["x{;a,b}/y", "x;b=2;a/y", { a: "", b: "2" }],
    ["x{;a}{;b}", "x;b=2;a=1", { a: "1", b: "2" }],
    ["x{;a}", "x", {}],
    ["x{;a}", "x;b=1", undefined],
    ["x{;a}", "x;ab=1", undefined],
    ["x{;a}", "x;a=1;a=2", undefined],
    ["x{;a*}", "x;a=1;a=2", { a: ["1", "2"] }],
    ["x{;a*}", "x;b=1;c", { a: { b: "1", c: "" } }],
  ]);
});

describe("query parameters", () => {
  table([
    ["x{?a,b}", "x?a=1&b=2", { a: "1", b: "2" }],
    ["x{?a,b}", "x?b=2&a=1", { a: "1", b: "2" }],
    ["x{?a,b}", "x?b=2", { b: "2" }],
    ["x{?a,b}", "x", {}],
    ["x{?a,b}", "x?", {}],
    ["x{?a}", "x?a=", { a: "" }],
    ["x{?a}", "x?a", { a: "" }],
    ["x{?a}", "x?a=b%2Fc%26d", { a: "b/c&d" }],
    ["x{?a}", "x?a=b,c", undefined],
    ["x{?a}", "x?a=b+c", undefined],
    ["x{?a}", "x?a=b=c", undefined],
    ["x{?a}{&b}", "x?b=2&a=1", { a: "1", b: "2" }],
    ["x{?a}{&b}", "x&b=2", { b: "2" }],
    ["x?v=1{&a,b}", "x?v=1&b=2&a=1", { a: "1", b: "2" }],
    ["x?v=1{&a}", "x?v=2&a=1", undefined],
    ["x?q={q}{&a}", "x?q=1&a=2", { q: "1", a: "2" }],
    ["x{?a}{#f}", "x?a=1#/top", { a: "1", f: "/top" }],
    ["x{?a}#top", "x?z=1&a=1#top", { a: "1" }],
    ["x{?a}/y", "x?a=1/y", { a: "1" }],
    ["x{?%61}", "x?a=1", { "%61": "1" }],
  ]);
});

describe("unknown query parameters", () => {
  describe("are ignored at the end of a template without exploded query variables", () => {
    table([
      ["x{?a}", "x?utm=t:1/2,3+4&a=1", { a: "1" }],
      ["x{?a}", "x?A=2&a=1&b", { a: "1" }],
      ["x{?a}", "x?b=..%2F", {}],
      ["x?v=1{&a}", "x?v=1&w=2&a=1", { a: "1" }],
    ]);
  });

  describe("are refused where they could mean something", () => {
    table([
      ["x{?a}", "x?a=1&a=2", undefined],
      ["x{?a}", "x?a=1&%61=2", undefined],
      ["x?v=1{&a}", "x?v=1&a=1&v=2", undefined],
      ["x?q={q}{&a}", "x?q=1&a=1&q=2", undefined],
      ["x{?a}/y", "x?b=1/y", undefined],
      ["x{?a*,b*}", "x?a=1&c=1", undefined],
      ["x{?a}", "x?b=%zz", undefined],
      ["x", "x?b=1", undefined],
    ]);
  });

  describe("belong to the exploded query variable when there is one", () => {
    table([
      ["x{?a*}", "x?a=1&a=2", { a: ["1", "2"] }],
      ["x{?a*,b*}", "x?b=1&a=1&b=2", { a: ["1"], b: ["1", "2"] }],
      ["x{?a*}", "x?b=1&c=%3D", { a: { b: "1", c: "=" } }],
      ["x{?a*,b}", "x?b=1&c=2&a=3", { a: { c: "2", a: "3" }, b: "1" }],
      ["x{?a*}", "x?b=1&b=2", undefined],
      ["x{?a*}", "x?a=1&a=2&b=1", undefined],
    ]);
  });
});

describe("the result", () => {
  test("has no prototype, so that names of variables and keys are only names", () => {
    const template = parseUriTemplate("x/{__proto__}/{constructor}{?toString*}");
    const values = template.match("x/1/2?__proto__=3&hasOwnProperty=4");
    expect(Object.getPrototypeOf(values)).toBe(null);
    expect(Object.entries(values ?? {}).slice(0, 2)).toEqual([
      ["__proto__", "1"],
      ["constructor", "2"],
    ]);
    expect(Object.getPrototypeOf(values?.toString)).toBe(null);
    expect(Object.entries(values?.toString ?? {})).toEqual([
      ["__proto__", "3"],
      ["hasOwnProperty", "4"],
    ]);
    expect(parseUriTemplate("x{?a}").match("x?b=1")?.constructor).toBe(undefined);
  });
});
