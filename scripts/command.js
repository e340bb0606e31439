// Bundles the command `allspeak` into dist/cli/.
//
// It is a program beside the library and imports it by its public names, so that nothing of it reaches the chunks of
// the library. The parts that only the command needs, the prompts and what the demo server uses, are bundled with
// their licenses: whoever installs the library installs none of them.
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bundledParts = /^(?:@clack\/|fast-string|fast-wrap-ansi|sisteransi|zod$)/;

export async function bundleCommand(folder) {
  // Loaded when needed: most runs of the build find everything fresh.
  const { rolldown } = await import("rolldown");
  const bundled = await rolldown({
    cwd: root,
    input: { bin: join(root, "src/cli/bin.ts") },
    platform: "node",
    external: (name) => !/^[./]/.test(name) && !bundledParts.test(name),
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  await bundled.write({
    dir: join(folder, "cli"),
    chunkFileNames: "[name].js",
    comments: { jsdoc: false },
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    banner: ({ moduleIds }) => licensesOf(moduleIds),
  });
  await bundled.close();
  chmodSync(join(folder, "cli", "bin.js"), 0o755);
}

/** The licenses of the packages that a chunk contains, as a comment. */
export function licensesOf(moduleIds) {
  const packages = new Set(moduleIds.filter((id) => id.includes("node_modules")).map(packageOf));
  const texts = [...packages].sort().map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
    const file = ["LICENSE", "LICENSE.md", "license"].map((one) => join(path, one)).find(existsSync);
    return `${name} ${version} (${license})\n\n${file ? readFileSync(file, "utf8").trim() : ""}`;
  });
  return texts.length === 0 ? "" : `/*!\n${texts.join("\n\n").replaceAll("*/", "* /")}\n*/`;
}

function packageOf(id) {
  let path = dirname(id);
  while (!existsSync(join(path, "package.json")) || !hasName(join(path, "package.json")))
    path = dirname(path);
  return path;
}

/** False for the manifests that packages put into folders only to say which kind of modules they hold. */
function hasName(manifest) {
  return JSON.parse(readFileSync(manifest, "utf8")).version !== undefined;
}
