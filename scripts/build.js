// Compiles src to dist/; examples, bench and what tests run as a process to build/.
//
//   node scripts/build.js              always, with the type check: what is published
//   node scripts/build.js --if-stale   when a source is newer than the last build, without the type
//                                      check: what tests and `npm run everything` do first. An error
//                                      is shown, but only the real build refuses it
//
// Each folder is compiled aside and swapped in, so that no half-written or left-over file is ever run.
// Nothing is written to standard output: a server that speaks over stdio may start right after.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const compiler = createRequire(import.meta.url).resolve("typescript/lib/tsc.js");
const sources = ["src", "examples", "bench", "test/matrix/servers", "test/conformance/client.ts"];
const settings = ["package.json", "tsconfig.json", "tsconfig.build.json", "tsconfig.examples.json"];
const marker = join(root, "build", ".complete");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--if-stale")) buildIfStale();
  else build("strict");
}

export function buildIfStale() {
  const isBuilt = existsSync(marker) && existsSync(join(root, "dist"));
  const builtAt = isBuilt ? Number(readFileSync(marker, "utf8")) : 0;
  const newest = Math.max(...[...sources, ...settings].map((path) => newestIn(join(root, path))));
  if (newest >= builtAt) build("quick");
}

function build(mode) {
  const startedAt = Date.now();
  rmSync(marker, { force: true });
  compile("tsconfig.build.json", "dist", mode);
  compile("tsconfig.examples.json", "build", mode);
  writeFileSync(marker, String(startedAt));
}

function compile(project, folder, mode) {
  const aside = join(root, "node_modules", ".cache", `${folder}-${process.pid}`);
  const [fresh, old] = [join(aside, "fresh"), join(aside, "old")];
  const args = [
    compiler,
    "-p",
    join(root, project),
    "--outDir",
    fresh,
    "--noCheck",
    String(mode === "quick"),
  ];
  mkdirSync(fresh, { recursive: true });
  try {
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] });
    if (status !== 0 && mode === "strict") throw new Error(`The compiler refused ${project}.`);
    if (existsSync(join(root, folder))) renameSync(join(root, folder), old);
    renameSync(fresh, join(root, folder));
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** The latest change below a path; a folder's own time tells of removed files. */
function newestIn(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}
