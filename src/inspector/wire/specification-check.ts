import { isObject, type JsonObject } from "../../lib/json.ts";
import { type Check, checkObject, checkString, listOf, members, oneOf } from "../../protocol/check/check.ts";
import {
  checkContent,
  checkPrompt,
  checkPromptMessage,
  checkResource,
  checkResourceContents,
  checkResourceTemplate,
  checkTool,
} from "../../protocol/check/model-check.ts";
import type { InvalidMessage, Message, ParsedMessage } from "../../protocol/message.ts";
import type { ListName, Method } from "../../protocol/method.ts";
import { methods } from "../../protocol/method-table.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import type { Revision } from "../../protocol/revision.ts";
import { revisions } from "../../protocol/revisions/index.ts";
import { strayOutput } from "../../protocol/stray-output-text.ts";
import type { WireWarning } from "../messages/wire.ts";
import { toPageUrl } from "./specification-page.ts";
import type { WireRecord } from "./wire-record.ts";

/** The facts of a connection that decide what its server may send. */
export interface CheckedConnection {
  /** The agreed revision; undefined before. */
  readonly revision: string | undefined;
  readonly serverCapabilities: JsonObject | undefined;
  /** Capabilities that this client does not declare. */
  readonly undeclared: readonly string[];
}

/** A tool as the specification has it; clients take more. */
const checkWholeTool: Check = (tool) =>
  checkTool(tool) ?? members({ inputSchema: members({ type: oneOf("object") }) })(tool);

const listItems: Readonly<Record<ListName, Check>> = {
  tools: checkWholeTool,
  prompts: checkPrompt,
  resources: checkResource,
  resourceTemplates: checkResourceTemplate,
};

/** The results that are no lists, by the member that they must have. */
const resultParts: Readonly<Record<string, Check>> = {
  initialize: members({
    protocolVersion: checkString,
    capabilities: checkObject,
    serverInfo: members({ name: checkString, version: checkString }),
  }),
  "tools/call": members({ content: listOf(checkContent) }),
  "resources/read": members({ contents: listOf(checkResourceContents) }),
  "prompts/get": members({ messages: listOf(checkPromptMessage) }),
};

const maxTokens = 1_000;

/** Finds out where the server of one connection breaks the specification. */
export class SpecificationCheck {
  readonly #connection: () => CheckedConnection;
  /** The last progress of each token. */
  readonly #progress = new Map<unknown, number>();

  constructor(connection: () => CheckedConnection) {
    this.#connection = connection;
  }

  /** The breaches in a message of the server; `request` is the one that it answers. */
  findBreaches(message: ParsedMessage, request: WireRecord | undefined): WireWarning[] {
    const revision = this.#revision;
    if (revision === undefined) return [];
    const problems =
      message.kind === "batch"
        ? this.#findInBatch(message.messages, revision)
        : this.#findInMessage(message, revision, request);
    return problems.map(([text, about]) => ({ message: text, page: toPageUrl(revision, about) }));
  }

  /** The breach in a problem that the library met: output that is no message. */
  findBreachIn(problem: string): WireWarning[] {
    const revision = this.#revision;
    if (revision === undefined || !problem.startsWith(strayOutput)) return [];
    const message = "A server writes nothing but messages to its standard output.";
    return [{ message, page: toPageUrl(revision, "stdio") }];
  }

  /** The agreed revision, or the newest before there is one. */
  get #revision(): Revision | undefined {
    const { revision: name } = this.#connection();
    return revisions.find(({ version }) => version === name) ?? revisions[0];
  }

  #findInBatch(messages: readonly (Message | InvalidMessage)[], revision: Revision): Problem[] {
    const found = messages.flatMap((message) =>
      message.kind === "response" || message.kind === "failure"
        ? []
        : this.#findInMessage(message, revision, undefined),
    );
    return revision.receivesBatches
      ? found
      : [[`${revision.version} has no batches: each message is sent alone.`, "messages"], ...found];
  }

  #findInMessage(
    message: Message | InvalidMessage,
    revision: Revision,
    request: WireRecord | undefined,
  ): Problem[] {
    switch (message.kind) {
      case "invalid":
        return [[message.error.message, "messages"]];
      case "request":
      case "notification":
        return this.#findInCall(message, revision);
      case "failure":
        return request || message.id === undefined ? [] : [unasked];
      case "response":
        return request ? findInResult(message.result, request) : [unasked];
    }
  }

  #findInCall(call: Message & { kind: "request" | "notification" }, revision: Revision): Problem[] {
    const { method, params } = call;
    const row = revision.methods.get(method);
    if (row === undefined) {
      return methods.has(method) ? [[`${revision.version} has no ${method}.`, method]] : [];
    }
    if (row.from === "client") return [[`${method} is for clients to send.`, method]];
    if (row.kind === "request" && revision.asking === "rounds")
      return [[`Servers of ${revision.version} send no requests: they end with the questions.`, method]];
    const problem = row.params(params);
    return [
      ...(problem === undefined ? [] : [[`The params of ${method}: params${problem}.`, method] as Problem]),
      ...this.#findMissingCapability(row),
      ...this.#findInProgress(row, params),
    ];
  }

  #findMissingCapability({ name, needs, announces }: Method): Problem[] {
    const { undeclared, serverCapabilities } = this.#connection();
    const [needed = ""] = needs?.side === "client" ? needs.capability.split(".") : [];
    if (undeclared.includes(needed))
      return [[`This client did not declare ${needed}, so that the server may not send ${name}.`, name]];
    if (announces === undefined || serverCapabilities === undefined) return [];
    const capability = announces === "resource" ? "resources.subscribe" : `${announces}.listChanged`;
    return hasCapability(serverCapabilities, capability)
      ? []
      : [[`The server sends ${name} and did not declare ${capability}.`, name]];
  }

  #findInProgress({ name }: Method, { progressToken, progress }: JsonObject): Problem[] {
    if (name !== "notifications/progress" || typeof progress !== "number") return [];
    const before = this.#progress.get(progressToken);
    if (this.#progress.size >= maxTokens) this.#progress.clear();
    this.#progress.set(progressToken, progress);
    return before !== undefined && progress <= before
      ? [[`Progress must increase: ${progress} came after ${before}.`, name]]
      : [];
  }
}

/** A breach, and the method or the topic whose page says so. */
type Problem = readonly [message: string, about: string];

const unasked: Problem = ["It answers no request that is open.", "messages"];

function findInResult(result: JsonObject, { method = "" }: WireRecord): Problem[] {
  // An unfinished result has questions in place of its content, and a task comes before it.
  if (isObject(result.inputRequests) || isObject(result.task) || result.taskId !== undefined) return [];
  const { list } = methods.get(method) ?? {};
  const check = list ? members({ [list.items]: listOf(listItems[list.items]) }) : resultParts[method];
  const problem = check?.(result);
  return problem === undefined ? [] : [[`The result of ${method}: result${problem}.`, method]];
}
