import type { HttpServerHandle, ServeHttpOptions } from "./serve-http-options.ts";

type InspectorChoice = Exclude<ServeHttpOptions["inspector"], boolean | undefined>;

/** Serves a server, and the inspector beside it. Each has a port of its own, so that the checks of neither change. */
export async function serveWithInspector(
  name: string,
  choice: true | InspectorChoice,
  serve: () => Promise<HttpServerHandle>,
): Promise<HttpServerHandle> {
  const { serveInspector } = await import("allspeak/inspector");
  const running = await serve();
  const servers = { [name]: { target: { url: running.url }, isFirst: true } };
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
