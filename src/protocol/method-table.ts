import {
  type Check,
  checkBoolean,
  checkNumber,
  checkObject,
  checkString,
  listOf,
  mapOf,
  members,
  oneOf,
  optional,
  taggedBy,
} from "./check/check.ts";
import {
  encodeCallResult,
  encodeCancelledTask,
  encodeInitializeResult,
  encodePromptList,
  encodePromptResult,
  encodeReadResult,
  encodeResourceList,
  encodeTaskList,
  encodeTaskWithResult,
  encodeTemplateList,
  encodeToolList,
  encodeToolResult,
} from "./encode/result.ts";
import { encodeTaskParams } from "./encode/task.ts";
import { without } from "./encode/wire-rules.ts";
import { isRequestId } from "./message.ts";
import type { CapabilityNeed, Method } from "./method.ts";
import { logLevels } from "./model/logging.ts";

type Columns = Omit<Method, "name" | "kind" | "from" | "params">;

const byServer = (capability: string): CapabilityNeed => ({ side: "server", capability });
const byClient = (capability: string): CapabilityNeed => ({ side: "client", capability });

function row(kind: Method["kind"], from: Method["from"]) {
  return (name: string, params: Check, columns?: Columns): Method => ({
    name,
    kind,
    from,
    params,
    ...columns,
  });
}
const clientRequest = row("request", "client");
const serverRequest = row("request", "server");
const eitherRequest = row("request", "either");
const clientNotice = row("notification", "client");
const serverNotice = row("notification", "server");
const eitherNotice = row("notification", "either");

const isId: Check = (value) => (isRequestId(value) ? undefined : " must be a string or an integer");
const isEmpty = members({});
const isPage = members({ cursor: optional(checkString) });
const isUri = members({ uri: checkString });
const isTask = members({ taskId: checkString });
const isImplementation = members({ name: checkString, version: checkString });
const isStrings = mapOf(checkString);

const isFilter = members({
  toolsListChanged: optional(checkBoolean),
  promptsListChanged: optional(checkBoolean),
  resourcesListChanged: optional(checkBoolean),
  resourceSubscriptions: optional(listOf(checkString)),
  taskIds: optional(listOf(checkString)),
});
const isReference = taggedBy("type", {
  "ref/prompt": members({ name: checkString }),
  "ref/resource": members({ uri: checkString }),
});
const isMessage = members({ role: oneOf("user", "assistant") });

const rows: readonly Method[] = [
  clientRequest(
    "initialize",
    members({ protocolVersion: checkString, capabilities: checkObject, clientInfo: isImplementation }),
    { opens: true, encode: { result: encodeInitializeResult } },
  ),
  clientRequest("server/discover", isEmpty, { answersWhenBusy: true, idempotent: true }),
  eitherRequest("ping", isEmpty, { answersBeforeOpening: true, answersWhenBusy: true, idempotent: true }),
  clientRequest("tools/list", isPage, {
    needs: byServer("tools"),
    idempotent: true,
    list: { items: "tools", prefixed: true },
    encode: { result: encodeToolList },
  }),
  clientRequest("tools/call", members({ name: checkString, arguments: optional(checkObject) }), {
    needs: byServer("tools"),
    rounds: true,
    nameParam: "name",
    runsTool: true,
    taskCapability: "tasks.requests.tools.call",
    encode: { params: encodeTaskParams, result: encodeCallResult },
  }),
  clientRequest("resources/list", isPage, {
    needs: byServer("resources"),
    idempotent: true,
    list: { items: "resources", prefixed: false },
    encode: { result: encodeResourceList },
  }),
  clientRequest("resources/templates/list", isPage, {
    needs: byServer("resources"),
    idempotent: true,
    list: { items: "resourceTemplates", prefixed: false },
    encode: { result: encodeTemplateList },
  }),
  clientRequest("resources/read", isUri, {
    needs: byServer("resources"),
    rounds: true,
    idempotent: true,
    nameParam: "uri",
    encode: { result: encodeReadResult },
  }),
  clientRequest("resources/subscribe", isUri, {
    needs: byServer("resources.subscribe"),
    idempotent: true,
    changesSession: true,
    nameParam: "uri",
  }),
  clientRequest("resources/unsubscribe", isUri, {
    needs: byServer("resources.subscribe"),
    idempotent: true,
    changesSession: true,
    nameParam: "uri",
  }),
  clientRequest("prompts/list", isPage, {
    needs: byServer("prompts"),
    idempotent: true,
    list: { items: "prompts", prefixed: true },
    encode: { result: encodePromptList },
  }),
  clientRequest("prompts/get", members({ name: checkString, arguments: optional(isStrings) }), {
    needs: byServer("prompts"),
    rounds: true,
    idempotent: true,
    nameParam: "name",
    encode: { result: encodePromptResult },
  }),
  clientRequest(
    "completion/complete",
    members({
      ref: isReference,
      argument: members({ name: checkString, value: checkString }),
      context: optional(members({ arguments: optional(isStrings) })),
    }),
    {
      needs: byServer("completions"),
      idempotent: true,
      encode: { params: (rules, params) => without(params, rules.omit.completion) },
    },
  ),
  clientRequest("logging/setLevel", members({ level: oneOf(...logLevels) }), {
    needs: byServer("logging"),
    idempotent: true,
    changesSession: true,
  }),
  clientRequest("subscriptions/listen", members({ notifications: isFilter }), { listens: true }),

  // `ask/ask.ts` has what else there is to questions.
  serverRequest("sampling/createMessage", members({ messages: listOf(isMessage), maxTokens: checkNumber }), {
    needs: byClient("sampling"),
    taskCapability: "tasks.requests.sampling.createMessage",
  }),
  serverRequest("elicitation/create", members({ message: checkString }), {
    needs: byClient("elicitation"),
    taskCapability: "tasks.requests.elicitation.create",
  }),
  serverRequest("roots/list", isEmpty, { needs: byClient("roots") }),

  eitherRequest("tasks/get", isTask, {
    idempotent: true,
    nameParam: "taskId",
    encode: { result: encodeTaskWithResult },
  }),
  eitherRequest("tasks/result", isTask, {
    idempotent: true,
    nameParam: "taskId",
    encode: { result: encodeToolResult },
  }),
  eitherRequest("tasks/list", isPage, { idempotent: true, encode: { result: encodeTaskList } }),
  eitherRequest("tasks/cancel", isTask, { nameParam: "taskId", encode: { result: encodeCancelledTask } }),
  clientRequest("tasks/update", members({ taskId: checkString, inputResponses: checkObject }), {
    nameParam: "taskId",
  }),

  clientNotice("notifications/initialized", isEmpty),
  clientNotice("notifications/roots/list_changed", isEmpty, { needs: byClient("roots.listChanged") }),
  eitherNotice("notifications/cancelled", members({ requestId: optional(isId) }), { ofRequest: true }),
  eitherNotice("notifications/progress", members({ progressToken: isId, progress: checkNumber }), {
    ofRequest: true,
    coalesces: true,
    encode: { params: (rules, params) => without(params, rules.omit.progress) },
  }),
  serverNotice("notifications/message", members({ level: oneOf(...logLevels) }), {
    needs: byServer("logging"),
  }),
  serverNotice("notifications/tools/list_changed", isEmpty, {
    needs: byServer("tools.listChanged"),
    announces: "tools",
  }),
  serverNotice("notifications/prompts/list_changed", isEmpty, {
    needs: byServer("prompts.listChanged"),
    announces: "prompts",
  }),
  serverNotice("notifications/resources/list_changed", isEmpty, {
    needs: byServer("resources.listChanged"),
    announces: "resources",
  }),
  serverNotice("notifications/resources/updated", isUri, {
    needs: byServer("resources.subscribe"),
    announces: "resource",
  }),
  serverNotice("notifications/elicitation/complete", members({ elicitationId: checkString })),
  serverNotice("notifications/subscriptions/acknowledged", members({ notifications: isFilter })),
  eitherNotice("notifications/tasks/status", isTask, { encode: { params: encodeTaskWithResult } }),
  serverNotice("notifications/tasks", isTask, { encode: { params: encodeTaskWithResult } }),
];

/** The row of every method and notification that some revision has. Each revision picks those it knows. */
export const methods: ReadonlyMap<string, Method> = new Map(rows.map((method) => [method.name, method]));
