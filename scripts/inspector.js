// Bundles the server of the inspector, and builds its page, into dist/inspector/.
//
// The server is a program beside the library, as the command is: it imports the library by its public names, and
// `ws` is bundled with its license. The page is built by Vite only when one of its files has changed: a copy of the
// last build, named by their contents, is kept in node_modules/.cache.
import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { licensesOf } from "./command.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = join(root, "inspector");

export async function bundleInspector(folder) {
  // Loaded when needed: most runs of the build find everything fresh.
  const { rolldown } = await import("rolldown");
  const bundled = await rolldown({
    cwd: root,
    input: { server: join(root, "src/inspector.ts") },
    platform: "node",
    external: (name) => !/^(?:[./]|ws$)/.test(name),
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  await bundled.write({
    dir: join(folder, "inspector"),
    chunkFileNames: "[name].js",
    comments: { jsdoc: false },
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    banner: ({ moduleIds }) => licensesOf(moduleIds),
  });
  await bundled.close();
}

export async function buildPage(folder) {
  if (!existsSync(join(page, "index.html"))) return;
  const cache = join(root, "node_modules", ".cache", `inspector-${digestOf(page)}`);
  if (!existsSync(cache)) {
    // Vite builds a page for developers where the environment names another mode, as that of a test runner does.
    process.env.NODE_ENV = "production";
    const { build } = await import("vite");
    const fresh = `${cache}-${process.pid}`;
    try {
      await build({ root: page, logLevel: "warn", build: { outDir: fresh, emptyOutDir: true } });
      if (!existsSync(cache)) renameSync(fresh, cache);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  cpSync(cache, join(folder, "inspector", "page"), { recursive: true });
}

/** A digest of the page's sources and of the messages that it shares with its server. */
function digestOf(path) {
  const hash = createHash("sha256");
  for (const name of readdirSync(path, { recursive: true, withFileTypes: true })) {
    const file = join(name.parentPath, name.name);
    if (name.isFile() && !file.includes("node_modules")) hash.update(file).update(readFileSync(file));
  }
  hash.update(readFileSync(join(root, "package-lock.json")));
  return hash.digest("hex").slice(0, 16);
}
