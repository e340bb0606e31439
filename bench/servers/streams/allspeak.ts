import { setImmediate } from "node:timers/promises";
import { createServer, tool } from "allspeak";
import { serveHttp } from "allspeak/node";
import { announceUrl } from "../shared/announce.ts";
import { flood, offers } from "./flood.ts";

const talk = tool("talk", { description: "Says more than anybody reads" }, async (_, ctx) => {
  for (let at = 0; at < offers; at++) {
    void ctx.log("info", flood);
    await setImmediate();
  }
  process.send?.("offered");
  return "Done.";
});

const { url } = await serveHttp(
  createServer({ name: "streams", version: "1.0.0", tools: [talk], logging: true }),
);
announceUrl(url);
