import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stop } from "esbuild";
import type { Report, Table } from "../report/table.ts";
import { serverPath } from "../servers/contender.ts";
import { bundlers, type Program, programBytes, programs, roomBytes } from "./program-size.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const libraries = [
  { name: "allspeak, JSON Schema", server: "stdio/allspeak-plain", packages: [""] },
  { name: "allspeak, zod", server: "stdio/allspeak", packages: ["", "zod"] },
  { name: "official SDK 1", server: "stdio/sdk-v1", packages: ["@modelcontextprotocol/sdk"] },
  { name: "official SDK 2", server: "stdio/sdk-v2", packages: ["@modelcontextprotocol/server"] },
  { name: "tmcp", server: "stdio/tmcp", packages: ["tmcp", "@tmcp/transport-stdio", "@tmcp/adapter-zod"] },
];

/** The kilobytes that a program may have at most. */
const mostKilobytes: Partial<Record<keyof typeof programs, number>> = {
  memory: 35,
  stdio: 28,
  http: 35,
  fetch: 30,
  client: 24,
};

/** What a small program ships, room by room, and what is installed for a server with one tool. */
export async function benchSize(): Promise<Report> {
  const lock = readLock();
  const measured = [];
  for (const { name, server, packages } of libraries) {
    const program = { name, source: `import ${JSON.stringify(serverPath(server))};`, isForNode: true };
    const bytes = await programBytes(root, program, "esbuild");
    measured.push({ name, kilobytes: bytes / 1000, installed: installedWith(lock, packages).size });
  }
  const sizes = await measurePrograms();
  const rooms = await toRoomTable();
  await stop();
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
      {
        title: "size of a program, minified and gzipped, KB",
        header: ["program", ...Object.keys(bundlers)],
        rows: sizes.map(({ name, kilobytes }) => [
          name,
          ...Object.values(kilobytes).map((one) => one.toFixed(1)),
        ]),
      },
      rooms,
    ],
    figures: [
      ...sizes.flatMap(({ key, name, kilobytes }) => {
        const limit = mostKilobytes[key];
        const measured = Math.max(...Object.values(kilobytes));
        if (limit === undefined) return [];
        return [{ what: `size of ${name}, KB`, measured, bound: "at most" as const, limit }];
      }),
      {
        what: "packages installed with the core",
        measured: measured[0]?.installed ?? Number.NaN,
        bound: "at most",
        limit: 6,
      },
    ],
  };
}

interface ProgramSize {
  readonly key: keyof typeof programs;
  readonly name: string;
  readonly kilobytes: Readonly<Record<string, number>>;
}

async function measurePrograms(): Promise<ProgramSize[]> {
  const sizes: ProgramSize[] = [];
  for (const [key, program] of Object.entries(programs)) {
    const kilobytes: Record<string, number> = {};
    for (const bundler of Object.keys(bundlers) as (keyof typeof bundlers)[])
      kilobytes[bundler] = (await programBytes(root, program, bundler)) / 1000;
    sizes.push({ key: key as keyof typeof programs, name: program.name, kilobytes });
  }
  return sizes;
}

/** The largest rooms first. */
async function toRoomTable(): Promise<Table> {
  const columns = await Promise.all(
    Object.values<Program>(programs).map((program) => roomBytes(root, program)),
  );
  const bytesOf = (room: string) => columns.map((column) => column.get(room) ?? 0);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const rooms = [...new Set(columns.flatMap((column) => [...column.keys()]))].sort(
    (a, b) => sum(bytesOf(b)) - sum(bytesOf(a)),
  );
  return {
    title: "rooms of a program, minified, KB",
    header: ["room", ...Object.keys(programs)],
    rows: [
      ...rooms.map((room) => [room, ...bytesOf(room).map(toKilobytes)]),
      ["all", ...columns.map((column) => toKilobytes(sum([...column.values()])))],
    ],
  };
}

function toKilobytes(bytes: number): string {
  return bytes === 0 ? "" : (bytes / 1000).toFixed(1);
}

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

type Lock = Readonly<Record<string, Locked>>;

function readLock(): Lock {
  return JSON.parse(readFileSync(`${root}/package-lock.json`, "utf8")).packages;
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
