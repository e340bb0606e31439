import { type HostName, hostFiles, hostNames } from "../../node/host-files.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import { editHostFile } from "../install/edit-host-file.ts";
import { defineVerb, type Verb } from "../verb.ts";

const options = {
  from: { type: "string", choices: hostNames, description: "The host" },
  yes: { type: "boolean", short: "y", description: "Write without asking" },
  "no-input": { type: "boolean", description: "Never ask, even at a terminal" },
} as const;

export const uninstall: Verb<typeof options> = defineVerb({
  arguments: [{ name: "name", description: "the name of the server in the host's file" }],
  options,
  examples: [
    ["allspeak uninstall my-server --from cursor", "shows the difference, asks, and takes the entry back"],
  ],
  async run({ arguments: [name = ""], options, terminal }) {
    if (options.from === undefined)
      throw new CommandError(`Name the host: --from ${hostNames.join(" | ")}`, ExitCode.usage);
    const host = hostFiles[options.from as HostName];
    const edit = { path: host.path(terminal.streams.env), key: host.key, name, entry: undefined };
    const isWritten = await editHostFile(edit, terminal, options.yes === true);
    terminal.print(
      isWritten ? `${name} is removed from ${options.from}.` : `${options.from} has no server ${name}.`,
    );
    return ExitCode.ok;
  },
});
