import { UsageError } from "../errors.ts";
import type { Platform } from "./platform.ts";

/** Browsers, workers, Deno and Bun. */
export const platform: Platform = {
  async openCommand({ command }) {
    throw new UsageError(
      `"${command}" is a command, and only Node starts commands. In a browser or a worker, connect to a URL; ` +
        'in Deno or Bun, pass stdioTransport({ command }) from "allspeak/node".',
    );
  },

  fetch: (url, init) => fetch(url, init),

  async openSender(_url, given = (input, init) => fetch(input, init)) {
    const { fetchSender } = await import("../transports/http/client/fetch-sender.ts");
    return fetchSender(given);
  },

  async openFiles() {
    throw new UsageError("Only Node reads files; pass their text, or the servers themselves.");
  },

  async openLogin() {
    throw new UsageError("oauth() needs authorize and redirectUri here, or another grant; see docs/auth.md.");
  },
};
