import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { editHostFile, type HostFileEdit, serverNames } from "../../install/edit-host-file.ts";
import { chooseHostFile, hostFileOptions, hostOption } from "../../install/host-options.ts";
import { defineVerb, type Verb } from "../../verb.ts";

const options = {
  from: hostOption,
  ...hostFileOptions,
} as const;

export const uninstall: Verb<typeof options> = defineVerb({
  arguments: [{ name: "name", description: "the name of the server in the host's file" }],
  options,
  examples: [
    ["allspeak uninstall my-server --from cursor", "shows the difference, asks, and takes the entry back"],
  ],
  async run({ arguments: [name = ""], options, terminal }) {
    const { path, key } = chooseHostFile("--from", options.from, options, terminal);
    const edit = { path, key, name, entry: undefined };
    const outcome = await editHostFile(edit, terminal, options.yes === true);
    if (outcome === "same")
      throw new CommandError(`${options.from} has no server ${JSON.stringify(name)}.`, ExitCode.usage, {
        hint: await describeServers(edit),
      });
    terminal.print(`${name} is removed from ${options.from}.`);
    return ExitCode.ok;
  },
});

async function describeServers(edit: HostFileEdit): Promise<string> {
  const names = await serverNames(edit);
  return names.length > 0 ? `It has ${names.join(", ")}.` : `${edit.path} has none.`;
}
