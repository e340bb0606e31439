import { listItems } from "./lists.ts";
import type { MethodHandler } from "./method-call.ts";
import { setLogLevel, toDiscoverResult } from "./session.ts";
import { callTool } from "./tools.ts";

const prompts = () => import("./prompts.ts");
const resources = () => import("./resources/resources.ts");
const completion = () => import("./completion.ts");
const subscriptions = () => import("./subscriptions.ts");
const tasks = () => import("./tasks.ts");

/** The handler of each method, by name. `dispatch` refuses a method that the revision lacks before it looks here. */
export const methodHandlers: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
  ["ping", () => ({})],
  ["server/discover", toDiscoverResult],
  ["tools/list", listItems],
  ["tools/call", callTool],
  ["resources/list", listItems],
  ["resources/templates/list", listItems],
  ["resources/read", onDemand(resources, ({ readResource }) => readResource)],
  ["resources/subscribe", onDemand(subscriptions, ({ subscribe }) => subscribe)],
  ["resources/unsubscribe", onDemand(subscriptions, ({ unsubscribe }) => unsubscribe)],
  ["prompts/list", listItems],
  ["prompts/get", onDemand(prompts, ({ getPrompt }) => getPrompt)],
  ["completion/complete", onDemand(completion, ({ completeArgument }) => completeArgument)],
  ["logging/setLevel", setLogLevel],
  ["subscriptions/listen", onDemand(subscriptions, ({ openSubscription }) => openSubscription)],
  ["tasks/get", onDemand(tasks, ({ getTask }) => getTask)],
  ["tasks/update", onDemand(tasks, ({ updateTask }) => updateTask)],
  ["tasks/cancel", onDemand(tasks, ({ cancelTask }) => cancelTask)],
  ["tasks/list", onDemand(tasks, ({ listTasks }) => listTasks)],
  ["tasks/result", onDemand(tasks, ({ getTaskResult }) => getTaskResult)],
]);

/** Loads a family of methods with the first call to one of them, because many servers never need it and start faster without. */
function onDemand<Family>(
  load: () => Promise<Family>,
  pick: (family: Family) => MethodHandler,
): MethodHandler {
  let handler: MethodHandler | undefined;
  return (request, row) => {
    if (handler) return handler(request, row);
    return load().then((family) => {
      handler = pick(family);
      return handler(request, row);
    });
  };
}
