import type { HttpServerHandle, ServeHttpOptions } from "./serve-http-options.ts";

type InspectorChoice = Exclude<ServeHttpOptions["inspector"], boolean | undefined>;

/** Serves a server, and the inspector beside it. Each has a port of its own, so that the checks of neither change. */
export async function serveWithInspector(
  name: string,
  choice: true | InspectorChoice,
  serve: () => Promise<HttpServerHandle>,
): Promise<HttpServerHandle> {
  const { serveInspector } = await loadInspector();
  const running = await serve();
  const servers = { [name]: { target: { url: toReachable(running.url) }, isFirst: true } };
  const { port } = choice === true ? {} : choice;
  try {
    const inspector = await serveInspector({ servers, port });
    return {
      ...running,
      inspectorUrl: inspector.url,
      async close(drainMs) {
        await inspector.close();
        await running.close(drainMs);
      },
    };
  } catch (error) {
    await running.close(0);
    throw error;
  }
}

/** The address for a client on this machine: a server that listens on all addresses has none of that name. */
function toReachable(address: string): string {
  const url = new URL(address);
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  return url.href;
}

/** Bundlers must not find the inspector: it is a program for development, and no part of a server. */
function loadInspector(): Promise<typeof import("allspeak/inspector")> {
  const name = ["allspeak", "inspector"].join("/");
  return import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}
