import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, stop } from "esbuild";
import { serverPath } from "./contender.ts";
import type { Report } from "./table.ts";

const libraries = [
  { name: "allspeak, JSON Schema", server: "allspeak-plain", packages: [""] },
  { name: "allspeak, zod", server: "allspeak", packages: ["", "zod"] },
  { name: "official SDK 1", server: "sdk-v1", packages: ["@modelcontextprotocol/sdk"] },
  { name: "official SDK 2", server: "sdk-v2", packages: ["@modelcontextprotocol/server"] },
  { name: "tmcp", server: "tmcp", packages: ["tmcp", "@tmcp/transport-stdio", "@tmcp/adapter-zod"] },
];

/** What a program with one tool ships, and what is installed for it. */
export async function benchSize(): Promise<Report> {
  const lock = readLock();
  const measured = [];
  for (const { name, server, packages } of libraries) {
    const bytes = await loadedBytes(serverPath(server));
    measured.push({ name, kilobytes: bytes / 1000, installed: installedWith(lock, packages).size });
  }
  await stop();
  const [plain] = measured;
  return {
    tables: [
      {
        title: "size of a stdio server",
        header: ["server", "minified and gzipped, KB", "installed packages"],
        rows: measured.map(({ name, kilobytes, installed }) => [
          name,
          kilobytes.toFixed(1),
          String(installed),
        ]),
      },
    ],
    figures: [
      {
        what: "stdio server bundle, minified and gzipped, KB",
        measured: plain?.kilobytes ?? Number.NaN,
        bound: "at most",
        limit: 30,
      },
      {
        what: "packages installed with the core",
        measured: plain?.installed ?? Number.NaN,
        bound: "at most",
        limit: 6,
      },
    ],
  };
}

/** The program and what it imports statically; what `import()` fetches when it is needed does not count. */
async function loadedBytes(file: string): Promise<number> {
  const { outputFiles, metafile } = await build({
    entryPoints: [file],
    outdir: "out",
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "node",
    metafile: true,
    write: false,
    logLevel: "error",
    // Or it would follow the paths of this repository to the sources.
    tsconfigRaw: "{}",
  });
  const loaded = new Set<string>();
  const visit = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const { path, kind, external } of metafile.outputs[name]?.imports ?? [])
      if (kind === "import-statement" && !external) visit(path);
  };
  for (const [name, { entryPoint }] of Object.entries(metafile.outputs))
    if (entryPoint !== undefined && resolve(entryPoint) === file) visit(name);
  const names = [...loaded].map((name) => basename(name));
  const chunks = outputFiles.filter(({ path }) => names.includes(basename(path)));
  return gzipSync(Buffer.concat(chunks.map(({ contents }) => contents))).byteLength;
}

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

type Lock = Readonly<Record<string, Locked>>;

function readLock(): Lock {
  const file = fileURLToPath(new URL("../../package-lock.json", import.meta.url));
  return JSON.parse(readFileSync(file, "utf8")).packages;
}

/** The packages themselves and all that npm installs with them; "" is the package of this repository. */
function installedWith(lock: Lock, packages: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (from: string, name: string): void => {
    const path = name === "" ? "" : locate(lock, from, name);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const { dependencies, peerDependencies, peerDependenciesMeta } = lock[path] ?? {};
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (peer) => !peerDependenciesMeta?.[peer]?.optional,
    );
    for (const needed of [...Object.keys(dependencies ?? {}), ...peers]) visit(path, needed);
  };
  for (const name of packages) visit("", name);
  return found;
}

/** Where Node would find a package, seen from another. */
function locate(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules")))) {
    const path = `${folder}${folder === "" ? "" : "/"}node_modules/${name}`;
    if (path in lock) return path;
    if (folder === "") return undefined;
  }
}
