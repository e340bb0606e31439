import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Prompt, Tool } from "allspeak";
import type { Client } from "allspeak/client";
import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { escapeLine } from "../../show/escape.ts";
import { defineTargetVerb, type TargetVerb } from "../../target/target-verb.ts";
import { toSchemaType } from "../../types/schema-type.ts";

const options = {
  out: {
    type: "string",
    short: "o",
    value: "FILE",
    description: "Write to this file. Default: standard output",
  },
} as const;

export const types: TargetVerb<typeof options> = defineTargetVerb({
  arguments: [],
  options,
  examples: [
    ["allspeak types https://example.com/mcp --out weather.ts", "types of the tools, prompts and resources"],
  ],
  notes:
    "The file exports the types, and connectTyped, which connects with them. Write it anew when the server changes.",
  async run({ options, terminal, withClient }) {
    return withClient(async (client) => {
      const text = await writeTypes(client);
      if (options.out === undefined) terminal.print(text);
      else {
        const file = resolve(terminal.streams.cwd, options.out);
        await writeFile(file, text).catch((cause: Error) => {
          throw new CommandError(`${file} can't be written: ${cause.message}`, ExitCode.usage, { cause });
        });
        terminal.note(`Wrote the types of ${escapeLine(describe(client))} to ${escapeLine(file)}.`);
      }
      return ExitCode.ok;
    });
  },
});

function describe({ server }: Client): string {
  return server.info?.name ?? "the server";
}

async function writeTypes(client: Client): Promise<string> {
  const { capabilities } = client.server;
  const tools = capabilities.tools ? await client.tools.list().all() : [];
  const prompts = capabilities.prompts ? await client.prompts.list().all() : [];
  const resources = capabilities.resources ? await client.resources.list().all() : [];
  const templates = capabilities.resources ? await client.resources.templates().all() : [];
  const uris = [...resources.map(({ uri }) => uri), ...templates.map(({ uriTemplate }) => uriTemplate)];
  return `// Written by "allspeak types". Write it anew when the server changes.
import { type ClientOf, type ConnectOptions, connect, type Target } from "allspeak/client";

export type Tools = {
${tools.map(showTool).join("\n")}
};

export type Prompts = {
${prompts.map(showPrompt).join("\n")}
};

export type ResourceUri = ${uris.map((uri) => JSON.stringify(uri)).join(" | ") || "never"};

/** Stands for the server, so that the compiler checks names, arguments, results and URIs. */
export interface TypedServer {
  readonly "~tools"?: Tools;
  readonly "~prompts"?: Prompts;
  readonly "~resources"?: ResourceUri;
}

export function connectTyped(target: Target, options?: ConnectOptions): Promise<ClientOf<TypedServer>> {
  return connect<TypedServer>(target, options);
}
`;
}

function showTool({ name, inputSchema, outputSchema }: Tool): string {
  const input = toSchemaType(inputSchema);
  const output = outputSchema === undefined ? "unknown" : toSchemaType(outputSchema);
  return `  readonly ${JSON.stringify(name)}: { readonly input: ${input}; readonly output: ${output} };`;
}

function showPrompt({ name, arguments: args = [] }: Prompt): string {
  const members = args.map((one) => `readonly ${JSON.stringify(one.name)}${one.required ? "" : "?"}: string`);
  return `  readonly ${JSON.stringify(name)}: ${members.length === 0 ? "Record<string, never>" : `{ ${members.join("; ")} }`};`;
}
