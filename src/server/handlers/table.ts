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
  ["resources/read", onDemand(async () => (await import("./read-resource.ts")).readResource)],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", unsubscribe],
  ["prompts/list", (asked) => list(asked, "prompts/list")],
  ["prompts/get", onDemand(async () => (await import("./get-prompt.ts")).getPrompt)],
  ["completion/complete", onDemand(async () => (await import("./complete.ts")).complete)],
  ["logging/setLevel", setLogLevel],
  ["subscriptions/listen", onDemand(async () => (await import("./listen.ts")).listen)],
]);

/** What many servers never need is loaded by the first call, so that they start faster. */
function onDemand(load: () => Promise<Handler>): Handler {
  let loading: Promise<Handler> | undefined;
  return async (asked) => {
    loading ??= load();
    const handle = await loading;
    return handle(asked);
  };
}
