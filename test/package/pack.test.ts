import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, join, posix } from "node:path";
import { expect, test } from "vitest";
import { entries, readJson, root } from "./paths.ts";

const published =
  /^(dist\/.+\.(js|js\.map|d\.ts)|dist\/inspector\/page\/.+\.(html|css|svg)|docs\/.+\.(md|svg|png)|examples\/.+\.(md|ts|html)|deploy\/.+|bench\/(README\.md|[\w-]+\.svg)|llms\.txt|(README|CHANGELOG|ARCHITECTURE|CONTRIBUTING)\.md|LICENSE|package\.json)$/;

test("the package holds its code, types and documents, and nothing else", () => {
  const paths = packedPaths();
  expect(paths.filter((path) => !published.test(path))).toEqual([]);
  expect(paths).toEqual(expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md", "package.json"]));
});

test("the package holds what its exports name", () => {
  const named = entries.flatMap(({ types, code }) => [types, code]).map((path) => path.replace("./", ""));
  expect(packedPaths()).toEqual(expect.arrayContaining(named));
});

test("every relative link in a packed document leads to something in the package", () => {
  const paths = packedPaths();
  const folders = new Set(paths.flatMap((path) => parentsOf(path)));
  const documents = paths.filter((path) => /^(?!dist\/).*\.(md|txt)$/.test(path));
  const dead = documents.flatMap((document) =>
    relativeLinks(readFileSync(join(root, document), "utf8"))
      .filter((link) => {
        const target = posix.join(posix.dirname(document), link).replace(/\/$/, "");
        return !paths.includes(target) && !folders.has(target);
      })
      .map((link) => `${document} -> ${link}`),
  );
  expect(documents).toContain("README.md");
  expect(dead).toEqual([]);
});

test("source maps name the sources that the code was made of", () => {
  const maps = packedPaths().filter((path) => path.endsWith(".js.map"));
  const sources = maps.flatMap((path) => {
    const { sources } = readJson(path) as { sources: string[] };
    return sources.map((source) => join(root, dirname(path), source));
  });
  expect(sources).toContain(join(root, "src/peer/peer.ts"));
  expect(sources.filter((source) => !existsSync(source))).toEqual([]);
});

test("source maps give the columns behind a character that is written as an escape", () => {
  const maps = packedPaths().filter((path) => path.endsWith(".js.map"));
  const words = maps.flatMap((path) => mappedWords(path));
  expect(words.length).toBeGreaterThan(10);
  expect(words.filter(({ word, source }) => !source.startsWith(word))).toEqual([]);
});

/** The words behind the first escape of a line, each with the text that the source map leads to. */
function mappedWords(path: string): { word: string; source: string }[] {
  const map = new SourceMap(readJson(path) as SourceMapPayload);
  const lines = readFileSync(join(root, path.replace(/\.map$/, "")), "utf8").split("\n");
  return lines.flatMap((line, at) => {
    const escapedAt = line.search(/\\u[\da-f]{4}/);
    const words = escapedAt < 0 ? [] : [...line.matchAll(/[a-z_]\w+/gi)];
    return words.flatMap(({ 0: word, index }) => {
      const entry = map.findEntry(at, index);
      // The bundler writes `void 0` for `undefined`.
      if (index < escapedAt || word === "void" || !("originalSource" in entry)) return [];
      if (entry.generatedLine !== at || entry.generatedColumn !== index) return [];
      const source = readFileSync(join(root, dirname(path), entry.originalSource), "utf8").split("\n");
      return [{ word, source: source[entry.originalLine]?.slice(entry.originalColumn) ?? "" }];
    });
  });
}

/** The links and images of a document that are neither addresses nor places in itself. */
function relativeLinks(text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|\b(?:src|href)="([^"]+)"/g)];
  return links
    .map(([, link, attribute]) => (link ?? attribute ?? "").replace(/#.*$/, ""))
    .filter((link) => link !== "" && !/^[a-z]+:/i.test(link));
}

function parentsOf(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === "." ? [] : [parent, ...parentsOf(parent)];
}

/** Found once: it takes long. */
let packed: string[] | undefined;

function packedPaths(): string[] {
  packed ??= readPackedPaths();
  return packed;
}

function readPackedPaths(): string[] {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    shell: process.platform === "win32",
  });
  const [pack] = JSON.parse(output) as [{ files: { path: string }[] }];
  return pack.files.map(({ path }) => path);
}
