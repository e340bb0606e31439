import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import type { ServerEntry } from "allspeak/host";

/**
 * The entry that starts a verb of this command, of the version that runs now: a host must not run another one some day.
 *
 * A checkout, and a package that was installed from a file, may be of a version that was never published, so its own
 * file is started.
 */
export function toOwnEntry(...words: readonly string[]): Extract<ServerEntry, { command: string }> {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("allspeak/package.json");
  const { version }: { version: string } = require("allspeak/package.json");
  const [command, ...first] = isFromRegistry(dirname(manifest))
    ? ["npx", "-y", `allspeak@${version}`]
    : ["node", join(dirname(manifest), "dist", "cli", "bin.js")];
  return { command: command as string, args: [...first, ...words, "--stdio"], env: {} };
}

function isFromRegistry(folder: string): boolean {
  if (!folder.includes(`${sep}node_modules${sep}`)) return false;
  const source = readSource(dirname(folder));
  return source === undefined || /^https?:/.test(source);
}

/** The place that npm has installed this package from; undefined where it has not noted any. */
function readSource(modules: string): string | undefined {
  try {
    const { packages } = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8"));
    return packages["node_modules/allspeak"].resolved;
  } catch {
    // Another package manager, or npm with --global.
    return undefined;
  }
}
