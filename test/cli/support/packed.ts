import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root: string = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Packs the package as npm would publish it, and unpacks it in a folder beside its dependencies and other packages,
 * without a network. Returns the path of the command.
 */
export function installPacked(folder: string, others: readonly string[]): string {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "allspeak"), { recursive: true });
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const name = execFileSync("npm", pack, { cwd: root, encoding: "utf8" }).trim();
  execFileSync("tar", ["-xzf", join(folder, name), "--strip-components=1", "-C", join(modules, "allspeak")]);
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const dependency of [...Object.keys(dependencies), ...others])
    symlinkSync(join(root, "node_modules", dependency), join(modules, dependency));
  return join(modules, "allspeak", "dist", "cli", "bin.js");
}
