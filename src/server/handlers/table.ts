import { callTool } from "./call-tool.ts";
import type { Handler } from "./handler.ts";
import { list } from "./list.ts";
import { discover, setLogLevel, subscribe, unsubscribe } from "./session.ts";

/** Who answers which method. What a revision does not know never gets here. */
export const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["ping", () => ({})],
  ["server/discover", discover],
  ["tools/list", (asked) => list(asked, "tools/list")],
  ["tools/call", callTool],
  ["resources/list", (asked) => list(asked, "resources/list")],
  ["resources/templates/list", (asked) => list(asked, "resources/templates/list")],
  ["resources/read", onDemand(({ readResource }) => readResource)],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", unsubscribe],
  ["prompts/list", (asked) => list(asked, "prompts/list")],
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
function onDemand(pick: (handlers: OnDemand) => Handler): Handler {
  return (asked) => (loaded ? pick(loaded)(asked) : load().then((handlers) => pick(handlers)(asked)));
}

async function load(): Promise<OnDemand> {
  loaded = await import("./on-demand.ts");
  return loaded;
}

/** Likewise, by the first call that is about a task. */
function ofTasks(pick: (handlers: typeof import("./tasks.ts")) => Handler): Handler {
  return async (asked) => pick(await import("./tasks.ts"))(asked);
}
