import type { Session, SessionEndListener } from "../../contract/call.ts";
import type { Principal } from "../../contract/caller/principal.ts";
import { onSessionEnd } from "../../contract/session-end.ts";
import { CapabilityError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { jsonSize } from "../../lib/json-size.ts";
import { toSentence } from "../../protocol/check/check.ts";
import { methods } from "../../protocol/method-table.ts";
import {
  type ClientCapabilities,
  type ClientDeclaration,
  hasCapability,
  missingOf,
} from "../../protocol/model/identity.ts";
import type { LogLevel } from "../../protocol/model/logging.ts";
import { tasksCapability } from "../../protocol/model/task.ts";
import { answerHandshake } from "../../protocol/negotiate.ts";
import type { Revision } from "../../protocol/revision.ts";
import { invalidParams, WireCode } from "../../protocol/wire-error.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { toCapabilityError } from "../errors/capability-error.ts";
import { toKeptDeclaration } from "../kept-declaration.ts";
import type { MethodCall } from "./method-call.ts";

const checkInitialize = methods.get("initialize")?.params;
/** The size of the params; the description of a client takes a few hundred bytes. */
const maxInitializeSize = 64 * 1024;

/** Opens a session with the params of `initialize`. Without `createId` its id is made on first use. */
export function openSession(catalog: Catalog, params: JsonObject, createId?: () => string): Session {
  if (jsonSize(params, maxInitializeSize) > maxInitializeSize)
    throw invalidParams(`The params of initialize are larger than ${maxInitializeSize} bytes.`);
  const problem = checkInitialize?.(params);
  if (problem !== undefined) throw invalidParams(toSentence(problem));
  const revision = answerHandshake(params.protocolVersion as string, catalog.settings.supported);
  const capabilities = params.capabilities as ClientCapabilities;
  assertRequiredCapabilities(catalog, capabilities, WireCode.invalidParams);
  const client = toKeptDeclaration(params.clientInfo as JsonObject, capabilities);
  return new OpenedSession(revision, client, changingLists(catalog), createId?.());
}

class OpenedSession implements Session {
  readonly revision: Revision;
  readonly client: ClientDeclaration;
  readonly lists: ReadonlySet<string>;
  subscriptions: Set<string> | undefined;
  logLevel: LogLevel | undefined;
  pendingElicitations: Set<string> | undefined;
  endListeners: Map<string, SessionEndListener> | undefined;
  #id: string | undefined;

  constructor(revision: Revision, client: ClientDeclaration, lists: ReadonlySet<string>, id?: string) {
    this.revision = revision;
    this.client = client;
    this.lists = lists;
    this.#id = id;
  }

  /** Made on first use: few handlers read it, and a process on stdio starts faster without it. */
  get id(): string {
    this.#id ??= crypto.randomUUID();
    return this.#id;
  }
}

/** The subscriptions of a session, to which more can be added. */
export function subscriptionsOf(session: Session): Set<string> {
  session.subscriptions ??= new Set();
  return session.subscriptions;
}

/** Gives back the subscriptions of a session when it ends. */
export function unwatchAtEnd(catalog: Catalog, session: Session): void {
  onSessionEnd(session, "subscriptions", () => {
    for (const uri of subscriptionsOf(session)) catalog.unwatch(uri);
  });
}

/** False once the session has ended and has given its subscriptions back. */
export function isUnwatchedAtEnd({ endListeners }: Session): boolean {
  return endListeners?.has("subscriptions") === true;
}

/** One set for the sessions that are opened until something changes. */
function changingLists(catalog: Catalog): ReadonlySet<string> {
  return catalog.cached("changing lists", () => {
    const { capabilities } = catalog;
    const all = ["tools", "prompts", "resources"];
    return new Set(all.filter((list) => hasCapability(capabilities, `${list}.listChanged`)));
  });
}

/** The result of `initialize`, encoded. */
export function toInitializeResult(
  catalog: Catalog,
  session: Session,
  principal: Principal | undefined,
): JsonObject {
  const { info, instructions } = catalog.settings;
  // Only callers that are identified have a list.
  // basic/utilities/tasks#task-isolation-and-access-control (2025-11-25)
  const listsTasks = principal !== undefined && hasCapability(catalog.capabilities, tasksCapability);
  const result = {
    protocolVersion: session.revision.version,
    capabilities: listsTasks ? { tasks: { list: {} }, ...catalog.capabilities } : catalog.capabilities,
    serverInfo: info,
    ...(instructions !== undefined && { instructions }),
  };
  return session.revision.encode.result("initialize", result, info);
}

/** Refuses a client that lacks capabilities in `requires`. */
export function assertRequiredCapabilities(
  catalog: Catalog,
  capabilities: ClientCapabilities,
  code: number,
): void {
  const { requires } = catalog.settings;
  if (requires.length === 0) return;
  const missing = missingOf(requires, capabilities);
  if (missing.length > 0)
    throw toCapabilityError(new CapabilityError(missing, "client", "This server"), code);
}

/** server/discover#response (2026-07-28) */
export function toDiscoverResult({ catalog }: MethodCall): JsonObject {
  const { supported, instructions, listTtlMs } = catalog.settings;
  return {
    supportedVersions: supported.names,
    capabilities: catalog.capabilities,
    ...(instructions !== undefined && { instructions }),
    ttlMs: listTtlMs,
    cacheScope: "public",
  };
}
