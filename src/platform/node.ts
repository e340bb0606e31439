import type { Platform } from "./platform.ts";
import { platform as web } from "./web.ts";

// Workers that claim to be Node run in a sandbox without name lookup, sockets or processes.
const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";

const node: Platform = {
  async openCommand(command) {
    const { stdioTransport } = await import("../transports/stdio/transport.ts");
    return stdioTransport(command);
  },

  async fetch(url, init, check) {
    const { pinnedFetch } = await import("../node/pinned-fetch.ts");
    return pinnedFetch(url, init, check);
  },

  async openLogin() {
    const { loopbackLogin } = await import("../node/loopback-login.ts");
    return loopbackLogin();
  },
};

export const platform: Platform = isWorker ? web : node;
