import { resolve } from "node:path";
import type { Client } from "allspeak/client";
import { type ConfiguredServer, readHostConfig } from "allspeak/host";
import { maskJson } from "../../../lib/text/mask-secrets.ts";
import { maskText } from "../../../lib/text/mask-text.ts";
import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { escapeLine, escapeText } from "../../show/escape.ts";
import { showRows, toPromptRow, toResourceRow, toToolRow } from "../../show/offer.ts";
import { showServer } from "../../show/server.ts";
import { jsonOption } from "../../target/target-options.ts";
import { defineTargetVerb, type TargetVerb } from "../../target/target-verb.ts";
import type { Terminal } from "../../terminal/terminal.ts";

const kinds = ["tools", "resources", "templates", "prompts"] as const;
type Kind = (typeof kinds)[number];

const options = {
  long: { type: "boolean", short: "l", description: "Show whole descriptions and all arguments" },
  json: jsonOption,
} as const;

export const list: TargetVerb<typeof options> = defineTargetVerb({
  arguments: [{ name: "kind", description: `only ${kinds.join(", ")}`, isOptional: true }],
  options,
  examples: [
    ["allspeak list everything", "the demo server of this package"],
    ["allspeak list https://example.com/mcp tools --long", "all tools, with their arguments"],
    ["allspeak list --config ~/.cursor/mcp.json", "the servers of a host's file"],
    ['allspeak list "npx -y @modelcontextprotocol/server-everything" --json', "everything, for machines"],
  ],
  runOnConfig: (config, { options, terminal }) => listServers(config, terminal, options.json === true),
  async run({ arguments: [kind], options, terminal, withClient }) {
    const wanted = kind === undefined ? kinds : [assertKind(kind)];
    return withClient(async (client) => {
      const offer = await readOffer(client, wanted);
      if (options.json) terminal.printJson({ server: client.server, ...offer });
      else showOffer(client, offer, terminal, options.long === true);
      return ExitCode.ok;
    });
  },
});

/** Shows the servers of a file, without the values of their variables and headers, and without secrets in arguments. */
async function listServers(config: string, terminal: Terminal, isJson: boolean): Promise<ExitCode> {
  const { cwd } = terminal.streams;
  const { servers, problems } = await readHostConfig(resolve(cwd, config), { workspaceFolder: cwd });
  const shown = [...servers.values()].map(({ name, entry, isDisabled }) => ({
    name,
    ...toShownWay(entry),
    ...(isDisabled && { disabled: true }),
  }));
  if (isJson) terminal.printJson({ servers: shown });
  else for (const server of shown) terminal.print(showServerEntry(server, terminal));
  for (const { message } of problems) terminal.note(terminal.notePaint.yellow(escapeLine(message)));
  return ExitCode.ok;
}

function toShownWay(entry: ConfiguredServer["entry"]): Pick<ShownEntry, "url" | "command" | "args"> {
  if ("url" in entry) return { url: maskText(entry.url) };
  return { command: entry.command, args: maskJson(entry.args) as readonly string[] };
}

interface ShownEntry {
  readonly name: string;
  readonly url?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly disabled?: boolean;
}

function showServerEntry(
  { name, url, command, args = [], disabled }: ShownEntry,
  { paint }: Terminal,
): string {
  const way = escapeLine(url ?? [command, ...args].join(" "));
  return `${paint.cyan(escapeLine(name))}  ${way}${disabled ? paint.dim("  switched off") : ""}`;
}

function assertKind(kind: string): Kind {
  const known = kinds.find((one) => one === kind);
  if (known) return known;
  throw new CommandError(`A server has ${kinds.join(", ")}, not ${JSON.stringify(kind)}.`, ExitCode.usage);
}

type Offer = Awaited<ReturnType<typeof readOffer>>;

/** The lists that are wanted and that the server has. */
async function readOffer(client: Client, wanted: readonly Kind[]) {
  const { capabilities } = client.server;
  const has = (kind: Kind, capability: "tools" | "resources" | "prompts") =>
    wanted.includes(kind) && capabilities[capability] !== undefined;
  const [tools, resources, templates, prompts] = await Promise.all([
    has("tools", "tools") ? client.tools.list().all() : undefined,
    has("resources", "resources") ? client.resources.list().all() : undefined,
    has("templates", "resources") ? client.resources.templates().all() : undefined,
    has("prompts", "prompts") ? client.prompts.list().all() : undefined,
  ]);
  return {
    ...(tools && { tools }),
    ...(resources && { resources }),
    ...(templates && { templates }),
    ...(prompts && { prompts }),
  };
}

function showOffer({ server }: Client, offer: Offer, terminal: Terminal, isLong: boolean): void {
  const { tools = [], resources = [], templates = [], prompts = [] } = offer;
  const lines = [
    showServer(server, terminal),
    ...(server.instructions ? [escapeText(server.instructions)] : []),
    ...showRows("Tools", tools.map(toToolRow), terminal, isLong),
    ...showRows("Resources", resources.map(toResourceRow), terminal, isLong),
    ...showRows("Resource templates", templates.map(toResourceRow), terminal, isLong),
    ...showRows("Prompts", prompts.map(toPromptRow), terminal, isLong),
  ];
  if (tools.length + resources.length + templates.length + prompts.length === 0)
    lines.push("It offers nothing of this.");
  terminal.print(lines.join("\n"));
}
