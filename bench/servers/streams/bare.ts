// The floor: streams of events that stay open; a path that writes, and waits for nobody.
import { createServer } from "node:http";
import { setImmediate } from "node:timers/promises";
import { announce } from "../shared/announce.ts";
import { flood, offers } from "./flood.ts";

announce(
  createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", async () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: {}\n\n");
      if (JSON.parse(body).method === "subscriptions/listen") return;
      for (let at = 0; at < offers; at++) {
        response.write(`data: ${JSON.stringify(flood)}\n\n`);
        await setImmediate();
      }
      process.send?.("offered");
    });
  }),
);
