// Builds the package into dist/, and examples, bench and the programs that tests start into build/.
//
//   node scripts/build.js              with the type check: what is published
//   node scripts/build.js --if-stale   only when a source is newer than the last build, and without the type
//                                      check: what tests and `npm start` do first
//
// rolldown joins the sources into chunks, as scripts/chunks.js says. tsc writes the types. Each folder is built
// aside and swapped in, so that no half-written or left-over file is ever run. Standard output stays empty: a server
// on stdio may start right after.
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
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createChunkNames } from "./chunks.js";
import { bundleCommand } from "./command.js";
import { escapeCharacters, shiftMappings } from "./escape-characters.js";
import { buildPage, bundleInspector } from "./inspector.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const compiler = createRequire(import.meta.url).resolve("typescript/lib/tsc.js");
const sources = [
  "src",
  "inspector",
  "examples",
  "bench",
  "test/matrix/servers",
  "test/conformance/client.ts",
  "test/chaos/node.ts",
  "test/chaos/soak.ts",
  "test/support/chaos",
];
const settings = [
  "scripts/build.js",
  "scripts/chunks.js",
  "scripts/command.js",
  "scripts/escape-characters.js",
  "scripts/inspector.js",
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "tsconfig.examples.json",
];
const marker = join(root, "build", ".complete");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--if-stale")) await buildIfStale();
  else await build("strict");
}

export async function buildIfStale() {
  const isBuilt = existsSync(marker) && existsSync(join(root, "dist"));
  const builtAt = isBuilt ? Number(readFileSync(marker, "utf8")) : 0;
  const newest = Math.max(...[...sources, ...settings].map((path) => newestIn(join(root, path))));
  if (newest < builtAt) return;
  console.error("Building, once after each change of the sources. This takes up to a minute.");
  await build("quick");
}

async function build(mode) {
  const startedAt = Date.now();
  rmSync(marker, { force: true });
  await swapIn("dist", async (folder) => {
    compile("tsconfig.build.json", folder, mode);
    await bundle(folder);
    await bundleCommand(folder);
    await bundleInspector(folder);
    await buildPage(folder);
  });
  await swapIn("build", (folder) => compile("tsconfig.examples.json", folder, mode));
  writeFileSync(marker, String(startedAt));
}

async function swapIn(folder, make) {
  const aside = join(root, "node_modules", ".cache", `${folder}-${process.pid}`);
  const [fresh, old] = [join(aside, "fresh"), join(aside, "old")];
  mkdirSync(fresh, { recursive: true });
  try {
    await make(fresh);
    if (existsSync(join(root, folder))) renameSync(join(root, folder), old);
    renameSync(fresh, join(root, folder));
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function compile(project, folder, mode) {
  const args = [
    compiler,
    "-p",
    join(root, project),
    "--outDir",
    folder,
    "--noCheck",
    String(mode === "quick"),
  ];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0 && mode === "strict") throw new Error(`The compiler refused ${project}.`);
}

/** Writes each entry of package.json and the chunks that entries share. A warning of rolldown is an error. */
async function bundle(folder) {
  // Loaded when needed: most runs of this script find everything fresh.
  const { rolldown } = await import("rolldown");
  const entries = entriesOf(readManifest());
  const bundled = await rolldown({
    cwd: root,
    input: entries,
    // The chunks decide what lies where; entries only pass it on.
    preserveEntrySignatures: "allow-extension",
    platform: "neutral",
    external: (name) => !/^[./]/.test(name) && !name.startsWith(root),
    plugins: [{ name: "light-chunks", generateBundle: lightenChunks }],
    onLog: (_level, { code, message }) => {
      // A busy machine is no fault of the sources.
      if (code !== "PLUGIN_TIMINGS") throw new Error(message);
    },
  });
  await bundled.write({
    dir: folder,
    chunkFileNames: "chunks/[name].js",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: createChunkNames(join(root, "src"), entries), debugName: "chunks.js" }],
    },
    // The types carry the doc comments; in the code they are a third of what Node has to read.
    comments: { jsdoc: false },
    sourcemap: true,
    // The folder is swapped in later, so paths in maps are counted from where it will be.
    sourcemapPathTransform: (source, map) => {
      const published = join(root, "dist", relative(folder, map));
      return relative(dirname(published), resolve(dirname(map), source)).replaceAll("\\", "/");
    },
  });
  await bundled.close();
}

/**
 * Leaves out of the chunks what Node would read for nothing. Lines stay, for the source map.
 *
 * An import of a chunk from which nothing is taken does nothing, since no module of ours has side effects, as
 * `sideEffects` in package.json says; bundlers warn about it.
 */
function lightenChunks(_options, files) {
  const runtime = takeRuntime(files);
  for (const file of Object.values(files)) {
    if (file.type !== "chunk") continue;
    const code = file.code
      .replace(runtime.imported, () => runtime.code)
      .replaceAll(/^import "\.[^"]+";$/gm, "");
    file.code = escapeCharacters(code);
    // An entry that only passes on has no map.
    const map = files[`${file.fileName}.map`];
    if (map === undefined) continue;
    const content = JSON.parse(map.source);
    map.source = JSON.stringify({ ...content, mappings: shiftMappings(content.mappings, code) });
  }
}

/** The function of rolldown for modules that share a chunk, as one line: a file of its own would cost more to load. */
function takeRuntime(files) {
  const path = "chunks/rolldown-runtime.js";
  const [code, exported] = files[path].code.replace(/^\/\/.*$/m, "").split(/^export /m);
  if (exported !== "{ __exportAll as t };\n") throw new Error(`rolldown-runtime.js exports ${exported}`);
  delete files[path];
  return {
    imported: 'import { t as __exportAll } from "./rolldown-runtime.js";',
    code: code.replaceAll(/\s+/g, " ").trim(),
  };
}

function readManifest() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
}

/** The files that package.json names, such as `dist/client.js`, with the source of each. */
function entriesOf({ exports, imports }) {
  const targets = [...Object.values(exports), ...Object.values(imports)].flatMap(Object.values);
  // The server of the inspector is bundled apart.
  const names = targets
    .map((path) => /^\.\/dist\/(?!inspector\/)(.+)\.js$/.exec(path)?.[1])
    .filter((name) => name);
  return Object.fromEntries(names.map((name) => [name, join(root, "src", `${name}.ts`)]));
}

/** The latest change below a path; a folder's own time reveals removed files. */
function newestIn(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}
