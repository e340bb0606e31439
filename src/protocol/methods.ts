import {
  type Check,
  checkBoolean,
  checkNumber,
  checkObject,
  checkString,
  either,
  listOf,
  mapOf,
  members,
  oneOf,
  optional,
} from "./check.ts";
import { isRequestId } from "./message.ts";
import type { Method } from "./method.ts";
import { logLevels } from "./model/logging.ts";

type Needs = NonNullable<Method["needs"]>;

const byServer = (capability: string): Needs => ({ side: "server", capability });
const byClient = (capability: string): Needs => ({ side: "client", capability });

function row(kind: Method["kind"], from: Method["from"]) {
  return (name: string, params: Check, needs?: Needs): Method =>
    needs ? { name, kind, from, needs, params } : { name, kind, from, params };
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
const isReference = either(
  members({ type: oneOf("ref/prompt"), name: checkString }),
  members({ type: oneOf("ref/resource"), uri: checkString }),
);
const isMessage = members({ role: oneOf("user", "assistant") });

/** Every method and notification of every revision. Each revision picks those it knows. */
export const methods: readonly Method[] = [
  clientRequest(
    "initialize",
    members({ protocolVersion: checkString, capabilities: checkObject, clientInfo: isImplementation }),
  ),
  clientRequest("server/discover", isEmpty),
  eitherRequest("ping", isEmpty),
  clientRequest("tools/list", isPage, byServer("tools")),
  clientRequest(
    "tools/call",
    members({ name: checkString, arguments: optional(checkObject) }),
    byServer("tools"),
  ),
  clientRequest("resources/list", isPage, byServer("resources")),
  clientRequest("resources/templates/list", isPage, byServer("resources")),
  clientRequest("resources/read", isUri, byServer("resources")),
  clientRequest("resources/subscribe", isUri, byServer("resources.subscribe")),
  clientRequest("resources/unsubscribe", isUri, byServer("resources.subscribe")),
  clientRequest("prompts/list", isPage, byServer("prompts")),
  clientRequest(
    "prompts/get",
    members({ name: checkString, arguments: optional(isStrings) }),
    byServer("prompts"),
  ),
  clientRequest(
    "completion/complete",
    members({
      ref: isReference,
      argument: members({ name: checkString, value: checkString }),
      context: optional(members({ arguments: optional(isStrings) })),
    }),
    byServer("completions"),
  ),
  clientRequest("logging/setLevel", members({ level: oneOf(...logLevels) }), byServer("logging")),
  clientRequest("subscriptions/listen", members({ notifications: isFilter })),

  serverRequest(
    "sampling/createMessage",
    members({ messages: listOf(isMessage), maxTokens: checkNumber }),
    byClient("sampling"),
  ),
  serverRequest("elicitation/create", members({ message: checkString }), byClient("elicitation")),
  serverRequest("roots/list", isEmpty, byClient("roots")),

  eitherRequest("tasks/get", isTask),
  eitherRequest("tasks/result", isTask),
  eitherRequest("tasks/list", isPage),
  eitherRequest("tasks/cancel", isTask),
  clientRequest("tasks/update", members({ taskId: checkString, inputResponses: checkObject })),

  clientNotice("notifications/initialized", isEmpty),
  clientNotice("notifications/roots/list_changed", isEmpty, byClient("roots.listChanged")),
  eitherNotice("notifications/cancelled", members({ requestId: optional(isId) })),
  eitherNotice("notifications/progress", members({ progressToken: isId, progress: checkNumber })),
  serverNotice("notifications/message", members({ level: oneOf(...logLevels) }), byServer("logging")),
  serverNotice("notifications/tools/list_changed", isEmpty, byServer("tools.listChanged")),
  serverNotice("notifications/prompts/list_changed", isEmpty, byServer("prompts.listChanged")),
  serverNotice("notifications/resources/list_changed", isEmpty, byServer("resources.listChanged")),
  serverNotice("notifications/resources/updated", isUri, byServer("resources.subscribe")),
  serverNotice("notifications/elicitation/complete", members({ elicitationId: checkString })),
  serverNotice("notifications/subscriptions/acknowledged", members({ notifications: isFilter })),
  eitherNotice("notifications/tasks/status", isTask),
  serverNotice("notifications/tasks", isTask),
];
