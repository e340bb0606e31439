import { createServer } from "allspeak";

/** A server that says through which framework it was reached. */
export function createGreeter(framework: string) {
  const server = createServer({ name: framework, version: "1.0.0" });
  server.tool("hello", "Greets", () => `Hello from ${framework}`);
  return server;
}
