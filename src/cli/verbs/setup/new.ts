import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { hasErrorCode } from "../../../lib/errno.ts";
import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { starterFiles } from "../../new/starter-files.ts";
import { defineVerb, type Verb } from "../../verb.ts";

export const newProject: Verb = defineVerb({
  arguments: [{ name: "folder", description: "a folder that does not exist yet, or is empty" }],
  options: {},
  examples: [["allspeak new my-server", "a small server with a test of it"]],
  async run({ arguments: [given = ""], terminal }) {
    const folder = resolve(terminal.streams.cwd, given);
    await assertEmpty(folder, given);
    await mkdir(folder, { recursive: true });
    const { version }: { version: string } = createRequire(import.meta.url)("allspeak/package.json");
    const files = starterFiles(toPackageName(basename(folder)), version);
    for (const [name, text] of files) await writeFile(join(folder, name), text, { flag: "wx" });
    terminal.print(`Wrote ${[...files.keys()].join(", ")} to ${given}.`);
    terminal.print(`Next: cd ${quote(given)} && npm install && npm test`);
    return ExitCode.ok;
  },
});

/** A word that a shell reads as it is. */
function quote(word: string): string {
  return /^[\w@%+:,./][\w@%+:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

async function assertEmpty(folder: string, given: string): Promise<void> {
  const found = await readdir(folder).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  });
  if (found.length === 0) return;
  throw new CommandError(`${given} is not empty; name a new folder.`, ExitCode.usage);
}

/** A name that npm takes. */
function toPackageName(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z\d._-]+/g, "-")
      .replace(/^[._-]+/, "") || "my-server"
  );
}
