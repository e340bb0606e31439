import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "allspeak";
import { createFetchHandler, type HttpOptions } from "allspeak/http";
import { createNodeHandler, serveHttp } from "allspeak/node";
import { onTestFinished } from "vitest";
import { listenFetch } from "./fetch-adapter.ts";

/** A server that listens, by whichever entry. */
export interface Listening {
  readonly origin: string;
  /** The endpoint of every revision but the oldest. */
  readonly url: string;
  /** Lets go as a program would. */
  close(drainMs?: number): Promise<void>;
}

export interface Entry {
  readonly name: string;
  readonly open: (server: Server<unknown>, options?: HttpOptions) => Promise<Listening>;
}

const node: Entry = {
  name: "serveHttp",
  open: async (server, options) => {
    const running = await serveHttp(server, options);
    return { origin: new URL(running.url).origin, url: running.url, close: (ms) => running.close(ms) };
  },
};

const web: Entry = {
  name: "createFetchHandler",
  open: async (server, options) => {
    const handle = createFetchHandler(server, options);
    const { port, close } = await listenFetch(handle);
    const origin = `http://127.0.0.1:${port}`;
    return {
      origin,
      url: `${origin}${options?.path ?? "/mcp"}`,
      close: async (ms) => {
        await handle.close(ms);
        await close();
      },
    };
  },
};

const mounted: Entry = {
  name: "createNodeHandler",
  open: async (server, options) => {
    const handle = createNodeHandler(server, options);
    const http = createHttpServer(handle);
    await once(http.listen(0, "127.0.0.1"), "listening");
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    return {
      origin,
      url: `${origin}${options?.path ?? "/mcp"}`,
      close: async (ms) => {
        await handle.close(ms);
        http.closeAllConnections();
        await new Promise((resolve) => http.close(resolve));
      },
    };
  },
};

/** Every way to serve over HTTP. What holds for one must hold for all. */
export const entries: readonly Entry[] = [node, mounted, web];

/** Serves until the test is over. */
export async function open(entry: Entry, server: Server<unknown>, options?: HttpOptions): Promise<Listening> {
  const listening = await entry.open(server, options);
  onTestFinished(() => listening.close(0));
  return listening;
}
