import { type Context, createServer } from "allspeak";
import { openRaw, type RawClient, type Wire } from "./raw-client.ts";

/** Opens a client, and gives the params that it adds to its call. */
type Open = (client: RawClient) => Promise<Wire>;

/** Runs a handler for one call, and gives what it returned or threw. */
export async function runHandler<T>(
  open: Open,
  handler: (ctx: Context) => Promise<T>,
): Promise<{ client: RawClient; outcome: T | Error }> {
  let outcome: T | Error = new Error("the handler did not run");
  const server = createServer({ name: "s", version: "1", log: () => {} });
  server.tool("t", {}, async (_, ctx) => {
    outcome = await handler(ctx).catch((error: Error) => error);
    return "done";
  });
  const client = openRaw(server);
  const params = await open(client);
  await client.result("tools/call", { name: "t", ...params });
  return { client, outcome };
}

export function inSession(revision: string, capabilities: Wire = {}, params: Wire = {}): Open {
  return async (client) => {
    await client.initialize(revision, capabilities);
    return params;
  };
}

/** A session whose client answers the server's requests. */
export function answering(revision: string, capabilities: Wire, answer: (message: Wire) => unknown): Open {
  return async (client) => {
    await client.initialize(revision, capabilities);
    client.onRequest = answer;
    return {};
  };
}

export function sentBy(client: RawClient, method: string): Wire[] {
  return client.heard.filter((message) => message.method === method);
}
