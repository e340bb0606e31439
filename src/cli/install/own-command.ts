import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import type { ServerEntry } from "allspeak/host";

/**
 * The entry that starts a verb of this command, of the version that runs now: a host must not run another one some day.
 *
 * A checkout may be of a version that was never published, so its own file is started.
 */
export function toOwnEntry(...words: readonly string[]): Extract<ServerEntry, { command: string }> {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("allspeak/package.json");
  const { version }: { version: string } = require("allspeak/package.json");
  const isInstalled = manifest.includes(`${sep}node_modules${sep}`);
  const [command, ...first] = isInstalled
    ? ["npx", "-y", `allspeak@${version}`]
    : ["node", join(dirname(manifest), "dist", "cli", "bin.js")];
  return { command: command as string, args: [...first, ...words, "--stdio"], env: {} };
}
