import { expect, test } from "vitest";
import { parseMarkdown } from "../../../inspector/src/content/markdown.ts";
import { workOf } from "../support/work.ts";

const size = 100;

test.each([
  ["links that never end", (count: number) => "[a](".repeat(count)],
  ["a table that is none", (count: number) => `a|b\n${" ".repeat(20 * count)}x`],
  ["a heading of blanks", (count: number) => `# ${" ".repeat(20 * count)}\u2028x\u2028`],
  ["a bullet of blanks", (count: number) => `- ${" ".repeat(20 * count)}\u2028x\u2028`],
])("the work for %s grows no faster than the text", (_, toText) => {
  const few = workOf(() => parseMarkdown(toText(size)));
  // Eight times the text is 64 times the work where it grows with the square.
  expect(workOf(() => parseMarkdown(toText(8 * size)))).toBeLessThan(24 * Math.max(few, 1_000));
});

test.each([
  ["# Title", [{ kind: "heading", level: 1, spans: [{ kind: "text", text: "Title" }] }]],
  ["#   Title  ", [{ kind: "heading", level: 1, spans: [{ kind: "text", text: "Title" }] }]],
  ["-\titem", [{ kind: "list", isOrdered: false, items: [[{ kind: "text", text: "item" }]] }]],
  ["[a](b)", [{ kind: "paragraph", spans: [{ kind: "link", text: "a", url: "b" }] }]],
  [
    "a|b\n  | --- | :-- |  \n",
    [{ kind: "table", rows: [[[{ kind: "text", text: "a" }], [{ kind: "text", text: "b" }]]] }],
  ],
])("%j is read", (text, blocks) => {
  expect(parseMarkdown(text)).toEqual(blocks);
});
