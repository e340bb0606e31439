import { join, resolve } from "node:path";
import { pinTools } from "allspeak/client";
import { type Gateway, type GatewayAuditEntry, type GatewayOptions, openGateway } from "allspeak/gateway";
import { fileTrustStore } from "allspeak/node";
import { toCommandWords } from "../../command-words.ts";
import type { ExitCode } from "../../exit-code.ts";
import { AuditFile } from "../../serve/audit-file.ts";
import { assertServeOptions, isolationOption, serveOptions } from "../../serve/serve-options.ts";
import { serveServer } from "../../serve/serve-server.ts";
import { escapeLine, escapeText } from "../../show/escape.ts";
import { agreesToServer, askInput } from "../../target/configured-target.ts";
import { stateFolder } from "../../target/state-folder.ts";
import { targetOptions } from "../../target/target-options.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { askAboutChange } from "../../terminal/tool-consent.ts";
import { defineVerb, type OptionValues, type Verb } from "../../verb.ts";

const { yes, "no-input": noInput } = targetOptions;

const options = {
  ...serveOptions,
  yes,
  "no-input": noInput,
  isolation: isolationOption,
  audit: {
    type: "string",
    value: "FILE",
    description: "Add a line of JSON for each call of a tool, and each prompt and resource that is read",
  },
  "max-running": {
    type: "number",
    value: "N",
    range: [1, 1_000_000],
    description: "Calls of one server that run at a time. Default: 100",
  },
} as const;

type Options = OptionValues<typeof options> & { readonly debug?: boolean };

export const gateway: Verb<typeof options> = defineVerb({
  arguments: [{ name: "file", description: "a file of a host, with mcpServers" }],
  options,
  examples: [
    ["allspeak gateway .mcp.json", "all its servers as one, for a host that starts a command"],
    ["allspeak gateway servers.json --http :3000 --audit calls.jsonl", "over HTTP, with a record of calls"],
  ],
  notes:
    'A tool is called server__tool. In the file, "tools": { "name": { "rename", "hide", "deny" or "pin": … } } changes that.\nChanges of the file are followed; an entry that is new or has changed is held back until you agree.',
  async run({ arguments: [file = ""], options, terminal }) {
    assertServeOptions(options);
    const { cwd } = terminal.streams;
    const audit =
      options.audit === undefined ? undefined : await openAudit(resolve(cwd, options.audit), terminal);
    try {
      const opened = await openGateway(toGatewayOptions(file, options, terminal, audit));
      if (opened.servers.length === 0)
        warn(terminal, `${file} names no servers: the gateway offers nothing until you add one.`);
      return await serveUntilEnd(opened, options, terminal);
    } finally {
      await audit?.close();
    }
  },
});

async function serveUntilEnd(opened: Gateway, options: Options, terminal: Terminal): Promise<ExitCode> {
  try {
    return await serveServer({ server: opened.server, options, terminal });
  } finally {
    await opened.close();
  }
}

function toGatewayOptions(
  file: string,
  options: Options,
  terminal: Terminal,
  audit: AuditFile | undefined,
): GatewayOptions {
  const { cwd, env } = terminal.streams;
  const agrees = options.yes === true;
  const folder = stateFolder(env);
  return {
    config: resolve(cwd, file),
    env,
    workspaceFolder: cwd,
    input: (input) => askInput(input, terminal),
    approve: ({ server, reason, lines }) =>
      agreesToServer({ name: server, path: file, reason, lines }, options, terminal),
    trustFirst: true,
    store: fileTrustStore(join(folder, "servers.json")),
    pin: pinTools({
      store: fileTrustStore(join(folder, "tools.json")),
      sharedNames: true,
      approve: (held) => askAboutChange(held, terminal, agrees),
    }),
    ...(options.isolation && { isolation: options.isolation as NonNullable<GatewayOptions["isolation"]> }),
    ...(options["max-running"] !== undefined && { maxRunning: options["max-running"] }),
    ...(audit && { audit: (entry: GatewayAuditEntry) => audit.add(toLine(entry)) }),
    ...(options.debug && {
      onStderr: (line: string, server: string) =>
        terminal.note(terminal.notePaint.dim(escapeLine(`${server}: ${line}`))),
    }),
    onRecovered: (server) => terminal.note(escapeLine(`${server}: it is available again.`)),
    onProblem: (problem, server) =>
      warn(terminal, `${server ? `${server}: ` : ""}${toCommandWords(problem)}`),
  };
}

function openAudit(path: string, terminal: Terminal): Promise<AuditFile> {
  return AuditFile.open(path, ({ message }) => warn(terminal, message));
}

function warn(terminal: Terminal, text: string): void {
  terminal.note(terminal.notePaint.yellow(escapeText(text)));
}

/** One call as a line of JSON; of an error only what it is, since its message may quote arguments. */
function toLine({ error, principal, durationMs, ...entry }: GatewayAuditEntry): string {
  return JSON.stringify({
    ...entry,
    ...(principal && { principal: { issuer: principal.issuer, subject: principal.subject } }),
    durationMs: Math.round(durationMs * 1_000) / 1_000,
    ...(error && { error: "code" in error ? error.code : error.name }),
  });
}
