import { OnDemand } from "../../lib/async/on-demand.ts";
import { setLogLevel } from "./logging.ts";
import type { MethodHandler } from "./method-call.ts";
import { toDiscoverResult } from "./session.ts";
import { callTool } from "./tools/tools.ts";

/** The lists, which `dispatch` asks, too. */
export const lists: OnDemand<typeof import("./lists.ts")> = new OnDemand(() => import("./lists.ts"));
const prompts = new OnDemand(() => import("./prompts.ts"));
const resources = new OnDemand(() => import("./resources/resources.ts"));
const completion = new OnDemand(() => import("./completion.ts"));
const subscriptions = new OnDemand(() => import("./subscriptions.ts"));
const tasks = new OnDemand(() => import("./tasks.ts"));

const listItems = handledBy(lists, ({ listItems }) => listItems);

/** The handler of each method, by name. `dispatch` refuses a method that the revision lacks before it looks here. */
export const methodHandlers: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
  ["ping", () => ({})],
  ["server/discover", toDiscoverResult],
  ["tools/list", listItems],
  ["tools/call", callTool],
  ["resources/list", listItems],
  ["resources/templates/list", listItems],
  ["resources/read", handledBy(resources, ({ readResource }) => readResource)],
  ["resources/subscribe", handledBy(subscriptions, ({ subscribe }) => subscribe)],
  ["resources/unsubscribe", handledBy(subscriptions, ({ unsubscribe }) => unsubscribe)],
  ["prompts/list", listItems],
  ["prompts/get", handledBy(prompts, ({ getPrompt }) => getPrompt)],
  ["completion/complete", handledBy(completion, ({ completeArgument }) => completeArgument)],
  // Not on demand: the level holds for the call that follows at once.
  ["logging/setLevel", setLogLevel],
  ["subscriptions/listen", handledBy(subscriptions, ({ openSubscription }) => openSubscription)],
  ["tasks/get", handledBy(tasks, ({ getTask }) => getTask)],
  ["tasks/update", handledBy(tasks, ({ updateTask }) => updateTask)],
  ["tasks/cancel", handledBy(tasks, ({ cancelTask }) => cancelTask)],
  ["tasks/list", handledBy(tasks, ({ listTasks }) => listTasks)],
  ["tasks/result", handledBy(tasks, ({ getTaskResult }) => getTaskResult)],
]);

/** Answers by a family of methods, most of which many servers never need. */
function handledBy<Family>(family: OnDemand<Family>, pick: (family: Family) => MethodHandler): MethodHandler {
  return (request, row) => family.use((loaded) => pick(loaded)(request, row));
}
