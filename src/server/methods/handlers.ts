import { callPart, type OnDemand } from "../../lib/async/on-demand.ts";
import { setLogLevel } from "./logging.ts";
import type { MethodHandler } from "./method-call.ts";
import { toDiscoverResult } from "./session.ts";
import { callTool } from "./tools/tools.ts";

/** The lists, which `dispatch` asks, too. */
export const lists: OnDemand<typeof import("./lists.ts")> = callPart(() => import("./lists.ts"));
const prompts = callPart(() => import("./prompts.ts"));
const resources = callPart(() => import("./resources/resources.ts"));
const completion = callPart(() => import("./completion.ts"));
const subscriptions = callPart(() => import("./subscriptions.ts"));
const tasks = callPart(() => import("./tasks.ts"));

const listItems = handledBy(lists, "listItems");

/** The handler of each method, by name. `dispatch` refuses a method that the revision lacks before it looks here. */
export const methodHandlers: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
  ["ping", () => ({})],
  ["server/discover", toDiscoverResult],
  ["tools/list", listItems],
  ["tools/call", callTool],
  ["resources/list", listItems],
  ["resources/templates/list", listItems],
  ["resources/read", handledBy(resources, "readResource")],
  ["resources/subscribe", handledBy(subscriptions, "subscribe")],
  ["resources/unsubscribe", handledBy(subscriptions, "unsubscribe")],
  ["prompts/list", listItems],
  ["prompts/get", handledBy(prompts, "getPrompt")],
  ["completion/complete", handledBy(completion, "completeArgument")],
  // Not on demand: the level holds for the call that follows at once.
  ["logging/setLevel", setLogLevel],
  ["subscriptions/listen", handledBy(subscriptions, "openSubscription")],
  ["tasks/get", handledBy(tasks, "getTask")],
  ["tasks/update", handledBy(tasks, "updateTask")],
  ["tasks/cancel", handledBy(tasks, "cancelTask")],
  ["tasks/list", handledBy(tasks, "listTasks")],
  ["tasks/result", handledBy(tasks, "getTaskResult")],
]);

/** Answers by a family of methods, most of which many servers never need. */
function handledBy<Name extends string>(
  family: OnDemand<Readonly<Record<Name, MethodHandler>>>,
  name: Name,
): MethodHandler {
  return (request, row) => family.use((loaded) => loaded[name](request, row));
}
