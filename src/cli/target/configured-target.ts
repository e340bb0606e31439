import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageError } from "allspeak";
import {
  type ConfigInput,
  type HostConfig,
  type InspectedServer,
  inspectServer,
  readHostConfig,
} from "allspeak/host";
import { fileTrustStore } from "allspeak/node";
import { isObject } from "../../lib/json.ts";
import { didYouMean } from "../../lib/text/did-you-mean.ts";
import { projectFiles } from "../../node/files/host-files.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import { escapeLine } from "../show/escape.ts";
import { Prompts } from "../terminal/prompts.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { assertNoEnvironment, withEnvironment } from "./command-environment.ts";
import type { ResolvedTarget } from "./resolved-target.ts";
import { stateFolder } from "./state-folder.ts";
import type { TargetOptions } from "./target-options.ts";

/** The server of a host's file, if the target is the name of one. */
export async function findConfiguredTarget(
  name: string,
  options: TargetOptions,
  terminal: Terminal,
): Promise<ResolvedTarget | undefined> {
  const { cwd, env } = terminal.streams;
  const found = options.config
    ? await readHostConfig(resolve(cwd, options.config), { workspaceFolder: cwd })
    : await findProjectConfig(name, terminal);
  if (!found) return undefined;
  const server = found.servers.get(name);
  if (!server) throw unknownServer(name, found);
  if (server.isDisabled) throw disabledServer(name, found);
  const isChosen = options.config !== undefined;
  const inspected = await inspectServer(server, found.inputs, {
    env,
    workspaceFolder: cwd,
    input: (input) => askInput(input, terminal),
  });
  await assertApproved({ name, path: found.path ?? "", inspected, isChosen }, options, terminal);
  const resolved = await inspected.resolve();
  if (resolved.url !== undefined) {
    assertNoEnvironment("a URL", options.env);
    return { kind: "url", target: resolved.url, headers: resolved.headers };
  }
  return { kind: "command", target: withEnvironment({ cwd, ...resolved }, options.env ?? []) };
}

async function findProjectConfig(name: string, terminal: Terminal): Promise<HostConfig | undefined> {
  const { cwd } = terminal.streams;
  for (const file of projectFiles) {
    const path = join(cwd, file);
    if (!existsSync(path)) continue;
    const config = await readHostConfig(path, { workspaceFolder: cwd }).catch((error: unknown) => {
      if (!isCommandLine(name) || !(error instanceof UsageError)) throw error;
      terminal.note(terminal.notePaint.yellow(escapeLine(error.message)));
      return undefined;
    });
    if (config?.servers.has(name)) return config;
  }
  return undefined;
}

/** True for a text that can be used without a file: one that can't be read must not stop it. */
function isCommandLine(text: string): boolean {
  return /[\s\\/]/.test(text);
}

function disabledServer(name: string, { path }: HostConfig): CommandError {
  return new CommandError(`The server ${JSON.stringify(name)} is switched off in ${path}.`, ExitCode.usage, {
    hint: "Switch it on there first: an entry is off with disabled: true, or enabled: false.",
  });
}

function unknownServer(name: string, { servers, path, problems }: HostConfig): CommandError {
  const problem = problems.find(({ server }) => server === name);
  if (problem) return new CommandError(problem.message, ExitCode.usage);
  const names = [...servers.keys()];
  const hint = didYouMean(name, names) || `; it has ${names.join(", ") || "none"}.`;
  return new CommandError(`${path} has no server ${JSON.stringify(name)}${hint}`, ExitCode.usage);
}

interface ConfiguredEntry {
  readonly name: string;
  readonly path: string;
  readonly inspected: InspectedServer;
  /** The user named the file. */
  readonly isChosen: boolean;
}

/**
 * A file of a project may come from anybody who can change the project: an entry that was found there, and any
 * that has changed since, is shown whole and needs a yes before it is started.
 */
async function assertApproved(
  { name, path, inspected, isChosen }: ConfiguredEntry,
  options: TargetOptions,
  terminal: Terminal,
): Promise<void> {
  const store = fileTrustStore(join(stateFolder(terminal.streams.env), "servers.json"));
  const key = JSON.stringify(["configured server", path, name]);
  const kept = await store.get(key);
  const before = isObject(kept) ? kept.sha256 : undefined;
  if (before === inspected.sha256) return;
  if (before !== undefined || !isChosen) {
    const reason = before === undefined ? "new" : "changed";
    if (!(await agreesToServer({ name, path, reason, lines: inspected.lines }, options, terminal)))
      throw new CommandError("The server was not started.", ExitCode.declined, {
        hint: "--yes agrees to it.",
      });
  }
  await store.update(key, () => ({ sha256: inspected.sha256 }));
}

export interface ShownServer {
  readonly name: string;
  readonly path: string;
  readonly reason: "new" | "changed";
  readonly lines: readonly string[];
}

/** Shows all that decides what a server starts, and asks whether it may. */
export async function agreesToServer(
  { name, path, reason, lines }: ShownServer,
  options: Pick<TargetOptions, "yes">,
  terminal: Terminal,
): Promise<boolean> {
  const what = reason === "new" ? "is new here" : "has changed since you agreed to it";
  terminal.note(`The server ${JSON.stringify(name)} of ${path} ${what}:\n`);
  for (const line of lines) terminal.note(`  ${escapeLine(line)}`);
  if (options.yes) return true;
  return terminal.canAsk && (await new Prompts(terminal).confirm("Use it?"));
}

export async function askInput(input: ConfigInput, terminal: Terminal): Promise<string | undefined> {
  if (!terminal.canAsk) return undefined;
  const prompts = new Prompts(terminal);
  const message = escapeLine(input.description ?? input.id);
  if (input.isSecret) return prompts.secret(message);
  if (input.options)
    return prompts.select(
      message,
      input.options.map((value) => ({ value, label: escapeLine(value) })),
    );
  return prompts.text({ message, initial: input.default });
}
