import { createNodeHandler } from "allspeak/node";
import fastify, { type FastifyInstance, type FastifyPluginOptions } from "fastify";
import { createGreeter } from "./server.ts";
import { type Site, toOrigin } from "./site.ts";

export async function serveFastify(): Promise<Site> {
  const mcp = createNodeHandler(createGreeter("Fastify"));
  const app = fastify();
  app.get("/", async () => "The site");
  const plugin = (scope: FastifyInstance, _options: FastifyPluginOptions, done: () => void) => {
    scope.removeAllContentTypeParsers(); // the handler reads the body itself
    scope.addContentTypeParser("*", (_request, _payload, next) => next(null));
    scope.all("/*", mcp);
    done();
  };
  await app.register(plugin, { prefix: "/api" });

  await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    origin: toOrigin(app.server.address()),
    close: async () => {
      await mcp.close();
      await app.close();
    },
  };
}
