import { basename, resolve } from "node:path";
import type { ServerEntry } from "allspeak/host";
import { splitCommand } from "../../client/connect/split-command.ts";
import { type HostName, hostFiles, hostNames } from "../../node/host-files.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import { editHostFile } from "../install/edit-host-file.ts";
import { isModulePath } from "../target/load-module.ts";
import { defineVerb, type Verb } from "../verb.ts";

const options = {
  to: { type: "string", choices: hostNames, description: "The host" },
  name: {
    type: "string",
    value: "NAME",
    description: "The name of the server there. Default: from the target",
  },
  yes: { type: "boolean", short: "y", description: "Write without asking" },
  "no-input": { type: "boolean", description: "Never ask, even at a terminal" },
} as const;

export const install: Verb<typeof options> = defineVerb({
  arguments: [{ name: "target", description: "a URL, a quoted command, or a module" }],
  options,
  examples: [
    ["allspeak install ./server.ts --to cursor", "shows the difference, asks, and writes Cursor's file"],
    ['allspeak install "npx -y some-server" --to vscode --name some --yes', "without asking"],
  ],
  notes:
    "The file is kept as it was beside the new one. allspeak uninstall <name> --from <host> takes the entry back.",
  async run({ arguments: [target = ""], options, terminal }) {
    if (options.to === undefined)
      throw new CommandError(`Name the host: --to ${hostNames.join(" | ")}`, ExitCode.usage);
    const host = hostFiles[options.to as HostName];
    const name = options.name ?? nameOf(target);
    const entry = host.toEntry(toEntry(target, terminal.streams.cwd));
    const edit = { path: host.path(terminal.streams.env), key: host.key, name, entry };
    const isWritten = await editHostFile(edit, terminal, options.yes === true);
    terminal.print(
      isWritten ? `${name} is installed; restart ${options.to} to use it.` : `${name} is installed already.`,
    );
    return ExitCode.ok;
  },
});

function toEntry(target: string, cwd: string): ServerEntry {
  if (/^https?:\/\//i.test(target)) return { url: target, headers: {} };
  if (isModulePath(target)) {
    return { command: "npx", args: ["-y", "allspeak", "serve", resolve(cwd, target), "--stdio"], env: {} };
  }
  const { command, args = [] } = splitCommand(target);
  return { command, args, env: {} };
}

/** A short name: the host of a URL, the file of a module, the last word of a command without options. */
function nameOf(target: string): string {
  if (/^https?:\/\//i.test(target)) return new URL(target).hostname;
  const words = target.split(/\s+/).filter((word) => word !== "" && !word.startsWith("-"));
  return basename(words.at(-1) ?? "server").replace(/\.[^.]+$/, "") || "server";
}
