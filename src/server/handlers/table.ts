import { callTool } from "./call-tool.ts";
import { complete } from "./complete.ts";
import { getPrompt } from "./get-prompt.ts";
import type { Handler } from "./handler.ts";
import { list } from "./list.ts";
import { listen } from "./listen.ts";
import { readResource } from "./read-resource.ts";
import { discover, setLogLevel, subscribe, unsubscribe } from "./session.ts";

/** Who answers which method. What a revision does not know never gets here. */
export const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["ping", () => ({})],
  ["server/discover", discover],
  ["tools/list", (asked) => list(asked, "tools/list")],
  ["tools/call", callTool],
  ["resources/list", (asked) => list(asked, "resources/list")],
  ["resources/templates/list", (asked) => list(asked, "resources/templates/list")],
  ["resources/read", readResource],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", unsubscribe],
  ["prompts/list", (asked) => list(asked, "prompts/list")],
  ["prompts/get", getPrompt],
  ["completion/complete", complete],
  ["logging/setLevel", setLogLevel],
  ["subscriptions/listen", listen],
]);
