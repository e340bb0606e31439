// Links within the documentation lead somewhere, and every page can be found.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
const stories = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" });
const documents = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "llms.txt"],
  ...pages.map((name) => `docs/${name}`),
  ...stories.filter((name) => name.endsWith(".md")).map((name) => `examples/${name}`),
];

describe("the links of", () => {
  it.each(documents)("%s lead somewhere", (document) => {
    expect(linksIn(document).filter((link) => !leadsSomewhere(link))).toEqual([]);
  });
});

it.each(["README.md", "llms.txt"])("%s leads to every page of docs/", (document) => {
  const linked = linksIn(document).map(({ path }) => path);
  expect(pages.filter((name) => !linked.includes(`docs/${name}`))).toEqual([]);
});

interface Link {
  readonly path: string;
  readonly anchor: string | undefined;
}

/** The links of a document to files of this repository; links in code are not links. */
function linksIn(document: string): Link[] {
  const text = read(document).replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = "", anchor] = target.split("#");
      return { path: path === "" ? document : normalize(join(dirname(document), path)), anchor };
    });
}

function leadsSomewhere({ path, anchor }: Link): boolean {
  if (!existsSync(join(root, path))) return false;
  return anchor === undefined || anchorsOf(path).includes(anchor);
}

/** The anchors that a reader's program makes of headings. */
function anchorsOf(path: string): string[] {
  const headings = read(path).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
