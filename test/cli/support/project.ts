import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "./program.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A folder where `allspeak` and `tsx` are installed. */
export function createProject(files: Readonly<Record<string, string>>, packages = ["allspeak"]): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  for (const name of packages) {
    symlinkSync(
      name === "allspeak" ? root : join(root, "node_modules", name),
      join(folder, "node_modules", name),
    );
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
