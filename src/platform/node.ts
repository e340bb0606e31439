import { endsWorkWithRequest } from "../lib/runtime.ts";
import type { Platform } from "./platform.ts";
import { platform as web } from "./web.ts";

const node: Platform = {
  async openCommand(command) {
    const { stdioTransport } = await import("../transports/stdio/transport.ts");
    return stdioTransport(command);
  },

  async fetch(url, init, check) {
    const { pinnedFetch } = await import("../node/pinned-fetch.ts");
    return pinnedFetch(url, init, check);
  },

  openFiles: () => import("../node/files/text-file.ts"),

  async openLogin() {
    const { loopbackLogin } = await import("../node/login/loopback-login.ts");
    return loopbackLogin();
  },
};

// Workers that claim to be Node run in a sandbox without name lookup, sockets or processes.
export const platform: Platform = endsWorkWithRequest ? web : node;
