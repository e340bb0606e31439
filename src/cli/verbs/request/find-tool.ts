import type { Tool } from "allspeak";
import type { Client } from "allspeak/client";
import { didYouMean } from "../../../lib/text/did-you-mean.ts";
import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";

/** The tool of a name; throws with the name that may have been meant. */
export async function findTool(client: Client, name: string): Promise<Tool> {
  const tools = await client.tools.list().all();
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool) return tool;
  const held = client.tools.held().find((candidate) => candidate.name === name);
  if (held)
    throw new CommandError(`The tool ${JSON.stringify(name)} is held back.`, ExitCode.declined, {
      hint: "Run it at a terminal, which shows the difference and asks, or accept it as it is now with --yes.",
    });
  const hint = didYouMean(
    name,
    tools.map((candidate) => candidate.name),
  );
  throw new CommandError(`The server has no tool ${JSON.stringify(name)}${hint || "."}`, ExitCode.usage);
}
