import { basename, resolve } from "node:path";
import type { ServerEntry } from "allspeak/host";
import { ExitCode } from "../../exit-code.ts";
import { editHostFile } from "../../install/edit-host-file.ts";
import { chooseHostFile, hostFileOptions, hostOption } from "../../install/host-options.ts";
import { toCommandEntry } from "../../install/installed-command.ts";
import { toOwnEntry } from "../../install/own-command.ts";
import { assertModuleFile, isModulePath, loadServer } from "../../target/load-module.ts";
import { assertNoExport } from "../../target/resolve-target.ts";
import { exportOption } from "../../target/target-options.ts";
import type { Streams } from "../../terminal/terminal.ts";
import { defineVerb, type Verb } from "../../verb.ts";

const options = {
  to: hostOption,
  name: {
    type: "string",
    value: "NAME",
    description: "The name of the server there. Default: from the target",
  },
  export: exportOption,
  ...hostFileOptions,
} as const;

export const install: Verb<typeof options> = defineVerb({
  arguments: [{ name: "target", description: "a URL, a quoted command, a module, or everything" }],
  options,
  examples: [
    ["allspeak install ./server.ts --to cursor", "shows the difference, asks, and writes Cursor's file"],
    ['allspeak install "npx -y some-server" --to vscode --name some --yes', "without asking"],
    ["allspeak install ./server.ts --to claude-code --project", "writes .mcp.json of this folder"],
  ],
  notes:
    "The file is kept as it was beside the new one. allspeak uninstall <name> --from <host> takes the entry back.\nA module is loaded to learn the name of its server; --name NAME installs it without that.",
  async run({ arguments: [target = ""], options, terminal }) {
    const { path, key, toEntry } = chooseHostFile("--to", options.to, options, terminal);
    const { cwd } = terminal.streams;
    if (isModulePath(target)) assertModuleFile(resolve(cwd, target), target);
    else assertNoExport(options.export);
    terminal.ownStdout();
    const name = options.name ?? (await nameOf(target, cwd, options.export));
    const entry = toEntry(readTarget(target, terminal.streams, options.export), (url) =>
      toOwnEntry("bridge", url),
    );
    const outcome = await editHostFile({ path, key, name, entry }, terminal, options.yes === true);
    const told = {
      same: `${name} is installed already.`,
      replaced: `${name} was replaced; restart ${options.to} to use it.`,
      written: `${name} is installed; restart ${options.to} to use it.`,
    };
    terminal.print(told[outcome]);
    return ExitCode.ok;
  },
});

function readTarget(target: string, streams: Streams, exported: string | undefined): ServerEntry {
  if (/^https?:\/\//i.test(target)) return { url: target, headers: {} };
  if (isModulePath(target)) {
    const chosen = exported === undefined ? [] : ["--export", exported];
    return toOwnEntry("serve", resolve(streams.cwd, target), ...chosen);
  }
  if (target === "everything") return toOwnEntry("everything");
  return toCommandEntry(target, streams);
}

/** A short name: the host and port of a URL, that of the server of a module, the last word of a command without options. */
async function nameOf(target: string, cwd: string, exportName: string | undefined): Promise<string> {
  if (/^https?:\/\//i.test(target)) {
    const { hostname, port } = new URL(target);
    return port === "" ? hostname : `${hostname}-${port}`;
  }
  if (isModulePath(target)) return (await loadServer(target, { cwd, exportName }))["~service"]().name;
  const words = target.split(/\s+/).filter((word) => word !== "" && !word.startsWith("-"));
  return basename(words.at(-1) ?? "server").replace(/\.[^.]+$/, "") || "server";
}
