import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
  json: "application/json",
  webmanifest: "application/manifest+json",
};

const missingPage = `<!doctype html><meta charset="utf-8"><title>allspeak inspector</title>
<p>The page was not built. Run "npm run build" in the folder of allspeak, and start again.</p>`;

/**
 * The files of the page by their paths, read once. A path that is not among them does not exist, whatever it contains.
 */
export function readPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const names = listFiles(folder).filter((name) => typeOf(name) !== undefined);
  const files = new Map(
    names.map((name) => [`/${name}`, { type: typeOf(name) ?? "", bytes: readFileSync(join(folder, name)) }]),
  );
  const index = files.get("/index.html") ?? { type: types.html ?? "", bytes: Buffer.from(missingPage) };
  return files.set("/", index);
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
      name.replaceAll("\\", "/"),
    );
  } catch {
    // Not built yet.
    return [];
  }
}

function typeOf(name: string): string | undefined {
  return types[/\.(\w+)$/.exec(name)?.[1] ?? ""];
}
