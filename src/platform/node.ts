import { endsWorkWithRequest } from "../lib/runtime.ts";
import type { Platform } from "./platform.ts";
import { platform as web } from "./web.ts";

const builtInFetch = globalThis.fetch;
const dispatcherKey = Symbol.for("undici.globalDispatcher.1");

/** True where requests are meant to go through `fetch`: to a proxy, a mock, a tracer. */
function isFetchReplaced(): boolean {
  const dispatcher: unknown = Reflect.get(globalThis, dispatcherKey);
  return globalThis.fetch !== builtInFetch || (dispatcher != null && dispatcher.constructor.name !== "Agent");
}

const node: Platform = {
  async openCommand(command) {
    const { openCommand } = await import("../node/open-command.ts");
    return openCommand(command);
  },

  async fetch(url, init, check) {
    const { pinnedFetch } = await import("../node/pinned-fetch.ts");
    return pinnedFetch(url, init, check);
  },

  async openSender(url, given) {
    if (given !== undefined || isFetchReplaced()) return web.openSender(url, given);
    const { openHttpSender } = await import("../node/http-sender.ts");
    return openHttpSender(url);
  },

  openFiles: () => import("../node/files/text-file.ts"),

  async openLogin() {
    const { loopbackLogin } = await import("../node/login/loopback-login.ts");
    return loopbackLogin();
  },
};

// Workers that claim to be Node run in a sandbox without name lookup, sockets or processes.
export const platform: Platform = endsWorkWithRequest ? web : node;
