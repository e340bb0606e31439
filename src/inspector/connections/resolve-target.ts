import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { StdioCommand, Target, UrlTarget } from "allspeak/client";
import { type ConfigInput, type InspectedServer, inspectServer } from "allspeak/host";
import { splitCommand } from "../../client/connect/split-command.ts";
import type { ConnectChoice, TargetChoice } from "../messages/connection.ts";
import type { QuestionBody, RunView } from "../messages/question.ts";
import { InspectorError } from "../session/failure.ts";
import { type ConfigPlaces, findConfigured } from "./config-files.ts";
import { findOffer, type Offers } from "./offered.ts";

export interface ResolveTargetContext extends ConfigPlaces {
  readonly offers: Offers;
  /** The program of the command `allspeak`, which serves modules. */
  readonly command: string;
  /** A way to connect to a recording of the session. */
  openRecording(recording: string): Target;
  /** Asks the person for a value that a file leaves open. */
  askInput(input: Extract<QuestionBody, { readonly kind: "input" }>["input"]): Promise<string>;
  /** Asks whether a program may run, or a server of a file be reached; rejects if it may not. */
  askToRun(run: RunView): Promise<void>;
}

/** The target for `connect`. Asks for whatever is missing, and before anything runs that was not handed in. */
export async function resolveChoice(
  choice: TargetChoice,
  transport: ConnectChoice["transport"],
  context: ResolveTargetContext,
): Promise<Target> {
  switch (choice.kind) {
    case "url":
      return toUrlTarget(choice, transport);
    case "command":
      return toCommand(choice, undefined, context);
    case "module":
      return toModuleCommand(choice, context);
    case "configured":
      return toConfigured(choice, transport, context);
    case "recording":
      return context.openRecording(choice.recording);
    case "offered":
      return toOffered(choice.name, transport, context);
  }
}

function toUrlTarget({ url, headers }: UrlTarget, transport: ConnectChoice["transport"]): UrlTarget {
  const text = String(url).trim();
  if (!/^(?:https?|wss?):\/\//i.test(text) || !URL.canParse(text))
    throw new InspectorError(
      "invalid-request",
      "The address must begin with http://, https://, ws:// or wss://.",
    );
  const chosen = transport === "websocket" ? text.replace(/^http/i, "ws") : text;
  return { url: chosen, ...(headers && { headers }) };
}

async function toCommand(
  { command, args, env = {}, cwd }: Extract<TargetChoice, { readonly kind: "command" }>,
  file: string | undefined,
  context: ResolveTargetContext,
): Promise<StdioCommand> {
  const words = args === undefined ? splitCommand(command) : { command, args };
  const run = {
    command: words.command,
    args: words.args ?? [],
    env,
    cwd: resolve(context.cwd, cwd ?? "."),
  };
  await context.askToRun({ kind: "command", ...run, ...(file !== undefined && { file }) });
  return run;
}

/** A module runs in a process of its own, which ends with the connection. */
async function toModuleCommand(
  { path, exportName }: Extract<TargetChoice, { readonly kind: "module" }>,
  context: ResolveTargetContext,
): Promise<StdioCommand> {
  const file = resolve(context.cwd, path);
  if (!existsSync(file)) throw new InspectorError("not-found", `There is no file ${file}.`);
  await context.askToRun({ kind: "module", path: file });
  const chosen = exportName === undefined ? [] : ["--export", exportName];
  return {
    command: process.execPath,
    args: [context.command, "serve", file, ...chosen],
    cwd: context.cwd,
  };
}

async function toConfigured(
  choice: Extract<TargetChoice, { readonly kind: "configured" }>,
  transport: ConnectChoice["transport"],
  context: ResolveTargetContext,
): Promise<Target> {
  const { server, inputs } = await findConfigured(choice, context);
  const { env, cwd } = context;
  const inspected = await inspectServer(server, inputs, {
    env,
    workspaceFolder: cwd,
    input: (input) => context.askInput(toInputView(input)),
  });
  // The variables of this machine go to whatever address the file names.
  if ("url" in server.entry) await context.askToRun(toUrlView(choice.file, inspected));
  const resolved = await inspected.resolve();
  if (resolved.url !== undefined) return toUrlTarget(resolved, transport);
  const { command, args = [], env: variables = {}, cwd: folder = cwd } = resolved;
  return toCommand({ kind: "command", command, args, env: variables, cwd: folder }, choice.file, context);
}

function toUrlView(file: string, { lines, sha256 }: InspectedServer): RunView {
  const [url = "", ...others] = lines;
  return { kind: "url", url, lines: others, sha256, file };
}

function toInputView({ id, description, isSecret, default: preset, options }: ConfigInput) {
  return {
    id,
    isSecret,
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
    ...(options !== undefined && { options }),
  };
}

function toOffered(
  name: string,
  transport: ConnectChoice["transport"],
  { offers }: ResolveTargetContext,
): Target {
  const offer = findOffer(offers, name);
  if (offer === undefined)
    throw new InspectorError("not-found", `There is no server ${JSON.stringify(name)} here.`);
  return "url" in offer.target ? toUrlTarget(offer.target, transport) : offer.target;
}
