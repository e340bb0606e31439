import { createServer, tool } from "allspeak";
import { serveHttp, websocketLimits } from "allspeak/node";
import { WebSocketServer } from "ws";
import { z } from "zod";
import { announceUrl } from "../shared/announce.ts";

const items = z.array(z.object({ id: z.number(), name: z.string() }));
const server = createServer({
  name: "flooded",
  version: "1.0.0",
  log: () => {},
  tools: [
    tool("echo", { input: { text: z.string() } }, ({ text }) => text),
    tool("add", { input: { items } }, (args) => `${args.items.length}`),
    tool("short", { task: "required" }, () => "done"),
  ],
});
const running = await serveHttp(server, {
  trustProxy: 1,
  limits: false,
  websocket: new WebSocketServer(websocketLimits()),
});
announceUrl(running.url);
