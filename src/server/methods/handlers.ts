import { listItems } from "./lists.ts";
import type { MethodHandler } from "./method-call.ts";
import { setLogLevel, subscribe, toDiscoverResult, unsubscribe } from "./session.ts";
import { callTool } from "./tools.ts";

/** Who answers which method. What a revision does not know never gets here. */
export const methodHandlers: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
  ["ping", () => ({})],
  ["server/discover", toDiscoverResult],
  ["tools/list", (request) => listItems(request, "tools/list")],
  ["tools/call", callTool],
  ["resources/list", (request) => listItems(request, "resources/list")],
  ["resources/templates/list", (request) => listItems(request, "resources/templates/list")],
  ["resources/read", onDemand(({ readResource }) => readResource)],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", unsubscribe],
  ["prompts/list", (request) => listItems(request, "prompts/list")],
  ["prompts/get", onDemand(({ getPrompt }) => getPrompt)],
  ["completion/complete", onDemand(({ complete }) => complete)],
  ["logging/setLevel", setLogLevel],
  ["subscriptions/listen", onDemand(({ listen }) => listen)],
  ["tasks/get", ofTasks(({ getTask }) => getTask)],
  ["tasks/update", ofTasks(({ updateTask }) => updateTask)],
  ["tasks/cancel", ofTasks(({ cancelTask }) => cancelTask)],
  ["tasks/list", ofTasks(({ listTasks }) => listTasks)],
  ["tasks/result", ofTasks(({ awaitResult }) => awaitResult)],
]);

type OnDemand = typeof import("./on-demand.ts");

let loaded: OnDemand | undefined;

/** What many servers never need is loaded by the first call, so that they start faster. */
function onDemand(pick: (handlers: OnDemand) => MethodHandler): MethodHandler {
  return (request) => (loaded ? pick(loaded)(request) : load().then((handlers) => pick(handlers)(request)));
}

async function load(): Promise<OnDemand> {
  loaded = await import("./on-demand.ts");
  return loaded;
}

/** Likewise, by the first call that is about a task. */
function ofTasks(pick: (handlers: typeof import("./tasks.ts")) => MethodHandler): MethodHandler {
  return async (request) => pick(await import("./tasks.ts"))(request);
}
