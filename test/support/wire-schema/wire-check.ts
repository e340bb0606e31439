import type { JsonObject, RevisionName } from "allspeak";
import type { MessageDirection } from "allspeak/client";
import { SchemaCheck } from "./schema-check.ts";
import { loadSpecSchemas, type SpecSchemas } from "./spec-schemas.ts";

let schemas: SpecSchemas | undefined;
const checks = new Map<string, SchemaCheck>();
const violations: string[] = [];

/** Takes what all checks have found since the last time. */
export function takeViolations(): readonly string[] {
  return violations.splice(0);
}

/** Takes out the violations of the messages that a test breaks on purpose. Fails where there are none. */
export function allowViolations(reason: string, pattern: RegExp): void {
  const others = violations.filter((violation) => !pattern.test(violation));
  schemas ??= loadSpecSchemas();
  if (schemas.size > 0 && others.length === violations.length)
    throw new Error(`No message violates a schema as ${pattern} says, which was allowed because ${reason}`);
  violations.splice(0, violations.length, ...others);
}

function checkOf(revision: string): SchemaCheck | undefined {
  schemas ??= loadSpecSchemas();
  const schema = schemas.get(revision as RevisionName);
  const check = checks.get(revision) ?? (schema && new SchemaCheck(schema));
  if (check) checks.set(revision, check);
  return check;
}

type Side = "client" | "server";

/**
 * Checks the messages of one connection, as its client sees them, against the schema of their revision.
 *
 * A side that a test plays is left out: what it says may be wrong on purpose.
 */
export class WireCheck {
  readonly #sides: readonly Side[];
  /** Requests that have no response yet, by their direction and id. */
  readonly #open = new Map<string, JsonObject>();
  /** Requests that were answered with a task, by its id. */
  readonly #begun = new Map<unknown, JsonObject>();
  /** The revision that `initialize` agreed on. */
  #agreed: string | undefined;
  /** The revision that the last request named. */
  #named: string | undefined;

  constructor(...sides: readonly Side[]) {
    this.#sides = sides;
  }

  /** The `onMessage` of a client. */
  readonly tap = (message: unknown, direction: MessageDirection): void => {
    for (const each of Array.isArray(message) ? message : [message])
      if (typeof each === "object" && each !== null) this.#add(each as JsonObject, direction);
  };

  #add(message: JsonObject, direction: MessageDirection): void {
    const isCall = "method" in message;
    if (isCall) this.#note(message, direction);
    const request = isCall ? undefined : this.#take(message.id, direction);
    if (request?.method === "initialize") this.#agreed = agreedIn(message);
    const taskId = request && taskBegunBy(message);
    if (taskId !== undefined) this.#begun.set(taskId, request as JsonObject);
    const revision = revisionOf(request ?? message) ?? this.#agreed ?? this.#named;
    const sender = direction === "sent" ? "client" : "server";
    if (revision === undefined || !this.#sides.includes(sender)) return;
    const check = checkOf(revision);
    const begun = this.#begun.get((request?.params as JsonObject | undefined)?.taskId);
    const found = isCall ? check?.call(message) : check?.response(message, request, begun);
    if (found === undefined || found.length === 0) return;
    const reasons = found.map((violation) => `${revision} ${violation}`).join("\n");
    violations.push(`${reasons}\n  in what the ${sender} sent: ${JSON.stringify(message)}`);
  }

  #note(message: JsonObject, direction: MessageDirection): void {
    if ("id" in message) this.#open.set(toKey(direction, message.id), message);
    if (direction === "sent") this.#named = revisionOf(message) ?? this.#named;
  }

  /** The request that a response in the other direction answers. */
  #take(id: unknown, direction: MessageDirection): JsonObject | undefined {
    const key = toKey(direction === "sent" ? "received" : "sent", id);
    const request = this.#open.get(key);
    this.#open.delete(key);
    return request;
  }
}

/** The revision that a request names in its metadata. */
function revisionOf({ params }: JsonObject): string | undefined {
  const { _meta } = (params ?? {}) as { _meta?: JsonObject };
  const version = _meta?.["io.modelcontextprotocol/protocolVersion"];
  return typeof version === "string" ? version : undefined;
}

/** The revision that a response to `initialize` agrees on. */
function agreedIn({ result }: JsonObject): string | undefined {
  return (result as { protocolVersion?: string } | undefined)?.protocolVersion;
}

/** The id of the task that a response announces instead of a result. */
function taskBegunBy({ result }: JsonObject): unknown {
  const { task, resultType, taskId } = (result ?? {}) as JsonObject;
  return resultType === "task" ? taskId : (task as JsonObject | undefined)?.taskId;
}

function toKey(direction: MessageDirection, id: unknown): string {
  return `${direction} ${JSON.stringify(id)}`;
}
