import { posix, win32 } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect } from "vitest";
import { parseUriTemplate, UriTemplateError } from "../../src/protocol/uri-template/uri-template.ts";
import { fuzz, fuzzed } from "../support/fuzz.ts";
import { open, simple, withValue } from "./templates.ts";

describe("a value that leads out of a folder", () => {
  const steps = [..."/\\;?#=&, aé\t", "..", ".", "%2e", "%2E", "%2f", "%5C", "%25", "2e", "2f", "%00", "%09"];
  const unit = fc.constantFrom(...steps, "%20", "%3B", "%3F");
  const templates = [...simple, ...open, "file:///{a}{b}", "file:///{+a}{b}.{c}", "file:///{a:1}{b:2}{c*}"];
  let matched = 0;
  afterAll(() => expect(matched).toBeGreaterThan(fuzzed(50, 1_000)));

  const given = fc.tuple(fc.constantFrom(...templates), fc.string({ unit, maxLength: 10 }));
  fuzz("URI template", "is found in no URI", given, ([template, escaped]) => {
    const values = Object.values(parseUriTemplate(template).match(withValue(template, escaped)) ?? {});
    for (const value of values.flatMap((item) =>
      typeof item === "string" ? item : Object.entries(item).flat(),
    )) {
      expectInside(value);
      matched++;
    }
  });
});

function expectInside(value: string): void {
  expect(`${posix.join("/srv/folder", value)}/`).toMatch(/^\/srv\/folder\//);
  expect(`${win32.join("C:\\srv\\folder", value)}\\`).toMatch(/^C:\\srv\\folder\\/);
  expect(new URL(`https://host/folder/${value}`).pathname).toMatch(/^\/folder\//);
  expect(value).not.toContain("\0");
}

describe("any template and any URI", () => {
  afterAll(() => expect(Object.keys(Object.prototype)).toEqual([]));

  const text = fc.string({ unit: fc.constantFrom(..."{}*:3ab,+#./;?&%=é", "%41"), maxLength: 20 });
  fuzz(
    "URI template",
    "match or not, and only a template is refused",
    fc.tuple(text, text),
    ([template, uri]) => {
      try {
        parseUriTemplate(template).match(uri);
      } catch (error) {
        expect(error).toBeInstanceOf(UriTemplateError);
      }
    },
  );
});
