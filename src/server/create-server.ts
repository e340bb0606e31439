import { assertOptions, type OptionKinds } from "../contract/options.ts";
import type { Telemetry } from "../contract/telemetry.ts";
import { UsageError } from "../errors.ts";
import { hasUnsafeIcons } from "../protocol/check/safe-icons.ts";
import type { Icon, Implementation, ServerCapabilities } from "../protocol/model/identity.ts";
import { type LogLevel, logLevels } from "../protocol/model/logging.ts";
import { type RevisionName, SupportedRevisions } from "../protocol/negotiate.ts";
import { assertSecrets } from "../seal/secrets.ts";
import type { State } from "../state/state.ts";
import type { ServerSettings } from "./catalog/catalog.ts";
import type { PromptDefinition, PromptTypesOf } from "./define/prompt.ts";
import type { ResourceDefinition } from "./define/resource.ts";
import {
  type ToolDefinition,
  type ToolTypesOf,
  type UnknownArguments,
  unknownArgumentModes,
} from "./define/tool.ts";
import { type LogSink, logToConsole, toSafeLog } from "./log.ts";
import { Server } from "./server.ts";
import { type TaskOptions, taskOptionKinds } from "./tasks/task-options.ts";

export interface ServerOptions<
  Tools extends readonly ToolDefinition[] = readonly ToolDefinition[],
  Prompts extends readonly PromptDefinition[] = readonly PromptDefinition[],
  Resources extends readonly ResourceDefinition[] = readonly ResourceDefinition[],
> {
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly websiteUrl?: string | undefined;
  readonly icons?: readonly Icon[] | undefined;
  /** Instructions to the model on how to use this server. */
  readonly instructions?: string | undefined;
  readonly tools?: Tools | undefined;
  readonly resources?: Resources | undefined;
  readonly prompts?: Prompts | undefined;
  /** The revisions to serve. Default: all. */
  readonly revisions?: readonly RevisionName[] | undefined;
  /** Items on one page of a list. Default 1,000, because many clients read only the first page. */
  readonly pageSize?: number | undefined;
  /** The time for which clients may cache lists. Default 0. */
  readonly listTtlMs?: number | undefined;
  /** Declares the `logging` capability, so that handlers may send log messages. Default true. */
  readonly logging?: boolean | undefined;
  /** The lowest level of log messages for clients that have not set one. Default `"info"`. */
  readonly logLevel?: LogLevel | undefined;
  /** The treatment of arguments that a tool's schema does not name; a refusal has a hint. Default `"ignore"`. */
  readonly unknownArguments?: UnknownArguments | undefined;
  /** The client capabilities without which a client is refused, such as `"elicitation"`. */
  readonly requires?: readonly string[] | undefined;
  /** Further capabilities: `experimental`, `extensions`, or a list that has no items yet. Those of registered items are declared anyway. */
  readonly capabilities?: ServerCapabilities | undefined;
  /** The number of rounds that one call may take, in revisions with rounds. Default 16. */
  readonly maxRounds?: number | undefined;
  /**
   * The secrets that encrypt `requestState`, each 32 random bytes in base64, the newest first. Older
   * ones still decrypt what they encrypted. All nodes need the same secrets.
   *
   * Default: the environment variable ALLSPEAK_STATE_KEYS, separated by commas; without it, a random
   * secret of this process.
   */
  readonly secrets?: readonly string[] | undefined;
  /** The options for calls that become tasks. */
  readonly tasks?: TaskOptions | undefined;
  /** The store for what outlives a call, unless the transport has one. Default: memory. */
  readonly state?: State | undefined;
  /** Observes all calls: `otel(api)` of `allspeak/otel` makes spans and metrics. Default: nothing does. */
  readonly telemetry?: Telemetry | undefined;
  /** The log for errors whose text callers must not see. Default: `console.error`. */
  readonly log?: LogSink | undefined;
}

const serverOptionKinds: OptionKinds<ServerOptions> = {
  name: "string",
  version: "string",
  title: "string",
  description: "string",
  websiteUrl: "string",
  icons: "array",
  instructions: "string",
  tools: "array",
  resources: "array",
  prompts: "array",
  revisions: "strings",
  pageSize: "positive",
  listTtlMs: "number",
  logging: "boolean",
  logLevel: logLevels,
  unknownArguments: unknownArgumentModes,
  requires: "clientCapabilities",
  capabilities: "object",
  maxRounds: "number",
  secrets: "strings",
  tasks: taskOptionKinds,
  state: "object",
  telemetry: "object",
  log: "function",
};

/**
 * Makes a server value. Checks all schemas; throws RegistrationError with the name of an item that can't be used.
 *
 * The first schemas of zod 3 or valibot in a process wait until their converter is loaded; if one of them can't be
 * used, serving the server rejects with that error.
 */
export function createServer<
  const Tools extends readonly ToolDefinition[] = readonly [],
  const Prompts extends readonly PromptDefinition[] = readonly PromptDefinition[],
  const Resources extends readonly ResourceDefinition[] = readonly ResourceDefinition[],
>(
  options: ServerOptions<Tools, Prompts, Resources>,
): Server<ToolTypesOf<Tools>, PromptTypesOf<Prompts>, Resources[number]["uri"]> {
  assertOptions("createServer", options, serverOptionKinds);
  if (hasUnsafeIcons(options))
    throw new UsageError("createServer: icons need an src that begins with https: or data:.");
  const server = new Server<ToolTypesOf<Tools>, PromptTypesOf<Prompts>, Resources[number]["uri"]>(
    toSettings(options),
  );
  for (const list of ["tools", "resources", "prompts"] as const)
    for (const definition of options[list] ?? []) {
      server.add(definition);
      const own = `${definition.kind}s`;
      if (own !== list) throw new UsageError(`${list} has ${own}; use the option "${own}".`);
    }
  return server;
}

function toSettings(options: ServerOptions): ServerSettings {
  const { pageSize = 1000 } = options;
  if (!Number.isInteger(pageSize)) throw new UsageError(`pageSize must be a whole number, not ${pageSize}.`);
  assertSecrets(options.secrets);
  return {
    info: toInfo(options),
    instructions: options.instructions,
    supported: new SupportedRevisions(options.revisions),
    pageSize,
    listTtlMs: options.listTtlMs ?? 0,
    logging: options.logging ?? true,
    logLevel: options.logLevel ?? "info",
    unknownArguments: options.unknownArguments ?? "ignore",
    requires: options.requires ?? [],
    capabilities: options.capabilities ?? {},
    maxRounds: options.maxRounds ?? 16,
    tasks: options.tasks ?? {},
    secrets: options.secrets,
    state: options.state,
    telemetry: options.telemetry,
    log: toSafeLog(options.log ?? logToConsole),
  };
}

function toInfo({ name, version, title, description, websiteUrl, icons }: ServerOptions): Implementation {
  if (!name || !version)
    throw new UsageError(
      'createServer needs a name and a version: createServer({ name: "notes", version: "1.0.0" }).',
    );
  return {
    name,
    version,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(websiteUrl !== undefined && { websiteUrl }),
    ...(icons && { icons }),
  };
}
