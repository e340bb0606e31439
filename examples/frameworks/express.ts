import { once } from "node:events";
import { createNodeHandler } from "allspeak/node";
import express from "express";
import { createGreeter } from "./server.ts";
import { type Site, toOrigin } from "./site.ts";

export async function serveExpress(): Promise<Site> {
  const mcp = createNodeHandler(createGreeter("Express"));
  const app = express();
  app.use("/api", mcp); // before express.json(): the handler reads the body itself
  app.use(express.json());
  app.get("/", (_, response) => void response.send("The site"));

  const http = app.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    origin: toOrigin(http.address()),
    close: async () => {
      await mcp.close(); // first: it lets running calls finish, and ends streams
      http.close();
      await once(http, "close");
    },
  };
}
