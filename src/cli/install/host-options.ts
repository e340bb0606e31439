import { join } from "node:path";
import { type HostName, hostFiles, hostNames } from "../../node/files/host-files.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { OptionTable, OptionValues } from "../verb.ts";
import type { HostFileEdit } from "./edit-host-file.ts";

/** Names the host. */
export const hostOption = { type: "string", choices: hostNames, description: "The host" } as const;

/** Options of every verb that writes the file of a host. */
export const hostFileOptions = {
  project: { type: "boolean", description: "Write the host's file of this folder, not that of the user" },
  yes: { type: "boolean", short: "y", description: "Write without asking" },
  "no-input": { type: "boolean", description: "Never ask, even at a terminal" },
} as const satisfies OptionTable;

export interface ChosenFile extends Pick<HostFileEdit, "path" | "key"> {
  readonly toEntry: (typeof hostFiles)[HostName]["toEntry"];
}

/** The file that the options choose. `flag` is the option that names the host. */
export function chooseHostFile(
  flag: "--to" | "--from",
  host: string | undefined,
  options: OptionValues<typeof hostFileOptions>,
  { streams: { cwd, env } }: Terminal,
): ChosenFile {
  if (host === undefined)
    throw new CommandError(`Name the host: ${flag} ${hostNames.join(" | ")}`, ExitCode.usage);
  const { path, projectPath, key, toEntry } = hostFiles[host as HostName];
  if (!options.project) return { path: path(env), key, toEntry };
  if (projectPath === undefined)
    throw new CommandError(`${host} has no file for a project; leave out --project.`, ExitCode.usage);
  return { path: join(cwd, projectPath), key, toEntry };
}
