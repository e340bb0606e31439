import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from "@cfworker/json-schema";
import type { JsonObject } from "allspeak";
import type { Definition, SpecSchema } from "./spec-schemas.ts";

type Definitions = { readonly [name: string]: Definition };

/** Checks messages against the schema of one revision. */
export class SchemaCheck {
  readonly #definitions: Definitions;
  readonly #draft: SchemaDraft;
  readonly #lookup: Record<string, boolean | Schema>;
  readonly #byMethod = new Map<string, string>();
  readonly #byErrorCode = new Map<number, string>();

  constructor(schema: SpecSchema) {
    const closed = closeObjects(schema);
    this.#definitions = closed.$defs ?? closed.definitions ?? {};
    this.#draft = closed.$schema.includes("2020-12") ? "2020-12" : "7";
    this.#lookup = dereference(closed as Schema);
    for (const [name, definition] of Object.entries(this.#definitions)) this.#index(name, definition);
  }

  /** The requests and notifications that the schema defines. */
  get methods(): Iterable<string> {
    return this.#byMethod.keys();
  }

  /** The violations of a request or notification. */
  call(message: JsonObject): string[] {
    const envelope = "id" in message ? "JSONRPCRequest" : "JSONRPCNotification";
    const name = this.#byMethod.get(message.method as string) ?? envelope;
    if (this.#namesEnvelope(name)) return this.#violations(name, message);
    const { jsonrpc: _, id: __, ...body } = message;
    return [...this.#violations(envelope, message), ...this.#violations(name, body)];
  }

  /**
   * The violations of a response to `request`, which is undefined where nobody knows what it answers.
   *
   * Where that asks about a task, `begun` is the request that began the task.
   */
  response(message: JsonObject, request: JsonObject | undefined, begun?: JsonObject): string[] {
    if ("error" in message) return this.#failure(message);
    const envelope = this.#violations(this.#has("JSONRPCResultResponse", "JSONRPCResponse"), message);
    if (request === undefined) return envelope;
    const result = message.result as JsonObject;
    const name = this.#resultName(request, result);
    return [...envelope, ...this.#violations(name, result), ...this.#taskResult(request, result, begun)];
  }

  /** The violations of the result that a task came to, in the answer about the task. */
  #taskResult({ method }: JsonObject, answer: JsonObject, begun: JsonObject = toolCall): string[] {
    const result = method === "tasks/result" ? answer : method === "tasks/get" ? answer.result : undefined;
    if (result === undefined) return [];
    return this.#violations(this.#resultName(begun, {}), result as JsonObject);
  }

  #failure(message: JsonObject): string[] {
    const { code } = message.error as { code: number };
    const name = this.#byErrorCode.get(code) ?? this.#has("JSONRPCErrorResponse", "JSONRPCError");
    // These schemas require the id. Where it could not be read, JSON-RPC replaces it by null, and HTTP leaves it out:
    // basic/transports#sending-messages-to-the-server (2025-06-18).
    const lacksId = (message.id ?? null) === null && !this.#definitions.JSONRPCErrorResponse;
    return this.#violations(name, lacksId ? { ...message, id: 0 } : message);
  }

  /** The definition of a result: by its own type, else by the method that it answers. */
  #resultName({ method }: JsonObject, { resultType, task }: JsonObject): string {
    if (resultType === "input_required") return "InputRequiredResult";
    // A peer that declared no tasks answers at once: basic/utilities/tasks (2025-11-25).
    if (resultType === "task" || task !== undefined) return this.#has("CreateTaskResult");
    const request = this.#byMethod.get(method as string);
    if (request === undefined) return this.#has("Result");
    return this.#has(request.replace(/Request$/, "Result"), "EmptyResult");
  }

  /** Whether a definition includes the members of JSON-RPC, as it does in newer revisions. */
  #namesEnvelope(name: string): boolean {
    const definition = this.#definitions[name];
    return definition !== undefined && ("allOf" in definition || "jsonrpc" in propertiesOf(definition));
  }

  #has(...names: readonly string[]): string {
    return names.find((name) => this.#definitions[name]) ?? (names.at(-1) as string);
  }

  #violations(name: string, value: JsonObject): string[] {
    const definition = this.#definitions[name];
    if (definition === undefined) return [];
    const { errors } = validate(
      withWellFormedNames(value),
      definition as Schema,
      this.#draft,
      this.#lookup,
      false,
    );
    return leaves(errors).map(({ instanceLocation, error }) => `${name} ${instanceLocation}: ${error}`);
  }

  #index(name: string, definition: Definition): void {
    for (const part of [definition, ...((definition.allOf ?? []) as Definition[])]) {
      const { method, error } = propertiesOf(part);
      if (typeof method?.const === "string") this.#byMethod.set(method.const, name);
      const code = error && propertiesOf(error).code?.const;
      if (typeof code === "number") this.#byErrorCode.set(code, name);
    }
  }
}

/** The levels that a schema describes; deeper ones are the business of tools. */
const maxLevels = 64;

/** The same value with names that a URI can hold: the validator writes the path to each member as one. */
function withWellFormedNames(value: unknown, levels = maxLevels): unknown {
  if (typeof value !== "object" || value === null || levels === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withWellFormedNames(item, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.replace(/\p{Surrogate}/gu, "\ufffd"),
      withWellFormedNames(member, levels - 1),
    ]),
  );
}

/** A task that began before the wire was seen is that of a tool: no other request becomes one for our servers. */
const toolCall: JsonObject = { method: "tools/call" };

function propertiesOf({ properties }: Definition): { readonly [name: string]: Definition | undefined } {
  return (properties ?? {}) as { readonly [name: string]: Definition };
}

/** The errors that say something: those without a cause below them. */
function leaves(errors: readonly OutputUnit[]): readonly OutputUnit[] {
  return errors.filter(({ keyword }) => !["$ref", "properties", "items", "anyOf", "false"].includes(keyword));
}

/** JSON Schemas within messages, which have more keywords than the specification names. */
const openMembers = new Set(["inputSchema", "outputSchema", "requestedSchema"]);
/** Metadata, where anybody may add members. */
const openTypes = /^_meta$|Meta(?:Object)?$/;

/**
 * The schema with objects that may have only the members it names: a member of a newer revision is a violation.
 *
 * Definitions of extensions stay as they are: they repeat only the part of the protocol that they change.
 */
function closeObjects(schema: SpecSchema): SpecSchema {
  const definitions = schema.$defs ?? schema.definitions ?? {};
  const close = (node: unknown, key = ""): unknown => {
    if (Array.isArray(node)) return node.map((each) => close(each));
    if (typeof node !== "object" || node === null || openMembers.has(key)) return node;
    const flat = "allOf" in node ? flatten(node as Definition, definitions) : node;
    const closed = Object.fromEntries(
      Object.entries(flat).map(([name, value]) => [name, close(value, name)]),
    );
    const isOpen = !isObjectSchema(closed) || closed.additionalProperties !== undefined;
    if (isOpen || key === "properties" || openTypes.test(key)) return closed;
    return {
      ...closed,
      properties: { ...addedTo(key), ...propertiesOf(closed) },
      additionalProperties: false,
    };
  };
  const { extensions, ...own } = schema;
  const closed = close(own) as SpecSchema;
  return extensions ? { ...closed, $defs: { ...extensions, ...closed.$defs } } : closed;
}

/** Members that a schema does not name everywhere: metadata of any call, and extensions before they had a place. */
function addedTo(key: string): object {
  if (key === "params") return { _meta: {} };
  // Of the tasks extension.
  if (key === "SubscriptionFilter") return { taskIds: {} };
  return key.endsWith("Capabilities") ? { extensions: {} } : {};
}

function isObjectSchema({ type, properties }: Definition): boolean {
  return type === "object" && properties !== undefined;
}

/** One object in place of the parts of `allOf`. */
function flatten({ allOf, ...rest }: Definition, definitions: Definitions): Definition {
  const parts = (allOf as Definition[]).map((part) => resolve(part, definitions));
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  const required = parts.flatMap((part) => (part.required ?? []) as string[]);
  return { ...rest, type: "object", properties, required };
}

function resolve(part: Definition, definitions: Definitions): Definition {
  const name = typeof part.$ref === "string" ? part.$ref.replace(/^.*\//, "") : undefined;
  return name === undefined ? part : (definitions[name] ?? {});
}
