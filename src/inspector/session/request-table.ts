import { connectionHandlers } from "../connections/handlers.ts";
import { conversationHandlers } from "../conversation/handlers.ts";
import { judgeHandlers } from "../judge/handlers.ts";
import type { RequestType } from "../messages.ts";
import { questionHandlers } from "../questions/handlers.ts";
import { recordingHandlers } from "../recordings/handlers.ts";
import { revisionHandlers } from "../revisions/handlers.ts";
import { useHandlers } from "../use/handlers.ts";
import { wireHandlers } from "../wire/handlers.ts";
import type { Handlers } from "./handler.ts";

/** The requests that a socket answers by itself. */
type SocketRequest = "open-session" | "cancel";

/** The handler of each request of the page. */
export const requestTable: Handlers<Exclude<RequestType, SocketRequest>> = {
  ...connectionHandlers,
  ...useHandlers,
  ...questionHandlers,
  ...wireHandlers,
  ...revisionHandlers,
  ...judgeHandlers,
  ...recordingHandlers,
  ...conversationHandlers,
};
