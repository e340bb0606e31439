// Where the code follows a rule of the specification, its comment cites the page: `basic/lifecycle#timeouts (2025-11-25)`.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { toPageUrl } from "../../src/inspector/wire/specification-page.ts";
import { methods } from "../../src/protocol/method-table.ts";
import { revisions } from "../../src/protocol/revisions/index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const site = "https://modelcontextprotocol.io/specification/";

/** The anchors of each page, by revision and page: `2025-11-25/basic/lifecycle`. */
const pages = readPages(readFileSync(new URL("specification-pages.txt", import.meta.url), "utf8"));

const citations = filesIn("src", ".ts").flatMap((path) =>
  citationsIn(readFileSync(root + path, "utf8")).map((text): [text: string, path: string] => [text, path]),
);

it("the code cites the specification", () => {
  expect(citations.length).toBeGreaterThan(150);
});

it("every citation names a page, an anchor and a revision that exist", () => {
  expect(citations.filter(([text]) => !isCitation(text))).toEqual([]);
});

it.each(["README.md", "CONTRIBUTING.md", ...filesIn("docs", ".md")])(
  "the links of %s to the specification lead to pages",
  (path) => {
    const links = [
      ...readFileSync(root + path, "utf8").matchAll(/modelcontextprotocol\.io\/specification\/([^\s)"]+)/g),
    ];
    expect(links.map(([, link = ""]) => link).filter((link) => !exists(...splitAnchor(link)))).toEqual([]);
  },
);

describe.each(revisions)("the inspector in $version", (revision) => {
  it.each([...methods.keys(), "messages", "stdio"])("links to a page about %s", (about) => {
    expect([...pages.keys()]).toContain(toPageUrl(revision, about).slice(site.length));
  });
});

/** Everything in comments that looks like a citation, be it complete or not. */
function citationsIn(text: string): string[] {
  const page =
    /\b(?:(?:basic|server|client|schema|ext-tasks)(?:\/[a-z-]+)*#|(?:basic|ext-tasks)\/[a-z]|(?:server|client)\/[a-z/-]+ \(20)[^\s)]*(?: \([^)\s]*\))?/g;
  return commentsIn(text).flatMap((comment) => comment.match(page) ?? []);
}

/** The comments of a file. The lines of a longer one are joined. */
function commentsIn(text: string): string[] {
  const comments = text.match(/^[ \t]*\/\*\*[\s\S]*?\*\/|(?:\/\/ .*\n\s*)+/gm) ?? [];
  return comments.map((comment) => comment.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, " "));
}

function isCitation(text: string): boolean {
  const [, page = "", anchor, revision = ""] =
    /^([a-z-]+(?:\/[a-z-]+)*)#([a-z0-9-]+) \((20\d\d-\d\d-\d\d|draft)\)$/.exec(text) ?? [];
  return anchor !== undefined && exists(`${revision}/${page}`, anchor);
}

function exists(page: string, anchor: string | undefined): boolean {
  const anchors = pages.get(page);
  return anchors !== undefined && (anchor === undefined || anchors.includes(anchor));
}

function splitAnchor(link: string): [page: string, anchor: string | undefined] {
  const [page = "", anchor] = link.split("#");
  return [page, anchor];
}

function readPages(text: string): Map<string, readonly string[]> {
  let revision = "";
  const found = new Map<string, readonly string[]>();
  for (const line of text.split("\n")) {
    revision = /^\[(.+)\]$/.exec(line)?.[1] ?? revision;
    const [, page, anchors = ""] = /^([a-z/-]+):(.*)$/.exec(line) ?? [];
    if (page !== undefined) found.set(`${revision}/${page}`, anchors.split(" "));
  }
  return found;
}

function filesIn(folder: string, end: string): string[] {
  const names = readdirSync(root + folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(end)).map((name) => `${folder}/${name}`);
}
