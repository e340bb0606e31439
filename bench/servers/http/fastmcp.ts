// JSON answers, which are its fastest.
import { createServer } from "node:net";
import { FastMCP } from "fastmcp";
import { z } from "zod";
import { announceUrl } from "../shared/announce.ts";

const server = new FastMCP({ name: "echo", version: "1.0.0" });
server.addTool({
  name: "echo",
  description: "Says it again",
  parameters: z.object({ text: z.string() }),
  execute: async ({ text }) => text,
});

const port = await freePort();
await server.start({
  transportType: "httpStream",
  httpStream: { port, host: "127.0.0.1", enableJsonResponse: true },
});
announceUrl(`http://127.0.0.1:${port}/mcp`);

/** It takes no port 0. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
