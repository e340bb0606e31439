import { describe, expect, test } from "vitest";
import { parseUriTemplate, UriTemplateError } from "../../src/protocol/uri-template/uri-template.ts";

/** Templates on which a backtracking matcher takes quadratic to exponential time, each with the URIs that make it. */
const corpus: readonly [template: string, uri: (length: number) => string][] = [
  ["x{a}{b}{c}y", (length) => `x${"y".repeat(length - 2)}z`],
  ["x{a}{b}{c}y", (length) => `x${"a".repeat(length - 2)}y`],
  ["db://{a}-{b}-{c}!", (length) => `db://${"-".repeat(length - 5)}`],
  ["db://{a}-{b}-{c}!", (length) => `db://${"a-".repeat(length / 2 - 3)}!`],
  ["{/id*}", (length) => "/a".repeat(length / 2)],
  ["{/id*}", (length) => `${"/".repeat(length - 1)}?`],
  ["{/a*}{/b*}{/c*}!", (length) => "/a".repeat(length / 2)],
  ["{a*}{b*}{c*}!", (length) => "a,".repeat(length / 2)],
  ["x{?a*}", (length) => `x?${"a=1&".repeat(length / 4 - 1)}`],
  ["x{?a*}", (length) => `x?${"&=".repeat(length / 2 - 1)}`],
  ["x{?a,b}{&c}", (length) => `x?${"d=1&".repeat(length / 4 - 1)}`],
  ["x{;a,b}{;c}y", (length) => `x${";a".repeat(length / 2 - 1)}`],
  ["{+a}/{+b}/{+c}.{d}", (length) => "/.a".repeat(length / 3)],
  ["{a:9999}{b:9999}{c:9999}!", (length) => "a".repeat(length)],
  ["{a}%25{b}%25{c}", (length) => "%25".repeat(length / 3)],
  [`{a}${"a".repeat(4000)}{b}${"a".repeat(3000)}b`, (length) => "a".repeat(length)],
  ["{+a}", (length) => "/%2525252e".repeat(length / 10)],
  ["{+a}", (length) => `%25${"25".repeat(length / 2 - 2)}`],
  ["{+a}", (length) => `/..${" ".repeat(length - 4)}x`],
];

/** The time that this process has worked, which a busy machine does not change. */
function workedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function fastestMs(runs: number, work: () => void): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = workedMs();
    work();
    fastest = Math.min(fastest, workedMs() - start);
  }
  return fastest;
}

describe("matching takes time in proportion to the URI (CVE-2026-0621)", () => {
  test.each(corpus)("%.40s answers 8 KiB within 10 ms", (source, toUri) => {
    const template = parseUriTemplate(source);
    const uri = toUri(8192);
    expect(fastestMs(5, () => template.match(uri))).toBeLessThan(10);
  });

  test.each(corpus)("%.40s takes 1 MB like eight times 125 KB", (source, toUri) => {
    const template = parseUriTemplate(source);
    const [small, large] = [toUri(125_000), toUri(1_000_000)];
    const smallMs = fastestMs(5, () => template.match(small));
    const largeMs = fastestMs(3, () => template.match(large));
    // Quadratic work would be 64 times as much.
    expect(largeMs).toBeLessThan(24 * smallMs + 20);
  });

  test("the largest template answers 8 KiB soon", () => {
    const template = parseUriTemplate(Array.from({ length: 64 }, (_, index) => `{v${index}}`).join("-"));
    expect(fastestMs(5, () => template.match("-".repeat(8192)))).toBeLessThan(50);
  });

  test("a hostile template is refused or read soon", () => {
    const sources = [
      "{".repeat(8192),
      "{a}".repeat(2730),
      `{${"a,".repeat(4000)}a}`,
      `{${"a.".repeat(4000)}}`,
      "%".repeat(8192),
    ];
    for (const source of sources) {
      const ms = fastestMs(3, () => expect(() => parseUriTemplate(source)).toThrow(UriTemplateError));
      expect(ms, source.slice(0, 10)).toBeLessThan(50);
    }
  });
});
