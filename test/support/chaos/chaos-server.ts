import { createServer, type Server, tool } from "allspeak";
import { z } from "zod";
import type { HistoryEvent } from "./history.ts";

export interface ChaosServerOptions {
  readonly record: (event: HistoryEvent) => void;
  readonly leaseMs?: number;
}

const serverName = "chaos";

/** The URI whose only change is event `n` of a stream, so that each event can be told from all others. */
export function toEventUri(stream: string, n: number): string {
  return `event://${stream}/${n}`;
}

export function fromEventUri(uri: string): { readonly stream: string; readonly n: number } {
  const [, stream = "", n] = /^event:\/\/(.+)\/(\d+)$/.exec(uri) ?? [];
  return { stream, n: Number(n) };
}

const published = z.object({ stream: z.string(), n: z.number() });
const answer = z.object({ echo: z.string(), principal: z.string() });

/** The server of all nodes. Its handlers write down what they did, as far as clients can't see it. */
export function createChaosServer({ record, leaseMs = 2_000 }: ChaosServerOptions): Server {
  const publish = async (stream: string, n: number, send: () => unknown): Promise<void> => {
    record({ kind: "publishing", stream, n });
    try {
      await send();
      record({ kind: "published", stream, n });
    } catch (error) {
      record({ kind: "unpublished", stream, n, error: String(error) });
    }
  };
  const server: Server = createServer({
    name: serverName,
    version: "1.0.0",
    capabilities: { resources: { subscribe: true } },
    // Not a secret: it is in this file. All nodes need the same.
    secrets: ["QWxsIG5vZGVzIG5lZWQgdGhlIHNhbWUgMzIgYnl0ZXM="],
    tasks: { leaseMs },
    log: () => {},
    tools: [
      tool(
        "echo",
        { input: z.object({ id: z.string() }), output: answer, annotations: { readOnlyHint: true } },
        ({ id }, ctx) => ({ echo: id, principal: ctx.principal?.subject ?? "" }),
      ),
      tool("publish", { input: z.object({ events: z.array(published) }) }, async ({ events }) => {
        await Promise.all(
          events.map(({ stream, n }) =>
            publish(stream, n, () => server.resources.updated(toEventUri(stream, n))),
          ),
        );
        return "published";
      }),
      tool(
        "stream",
        { input: z.object({ id: z.string(), count: z.number(), everyMs: z.number() }), output: answer },
        async ({ id, count, everyMs }, ctx) => {
          const principal = ctx.principal?.subject ?? "";
          for (let n = 1; n <= count; n++) {
            await publish(id, n, async () => {
              await ctx.log("info", { stream: id, n, principal });
              // Nothing is sent any more once the caller is gone.
              ctx.signal.throwIfAborted();
            });
            await pause(everyMs, ctx.signal);
          }
          return { echo: id, principal };
        },
      ),
      tool("ask", { input: z.object({ id: z.string() }), output: answer }, async ({ id }, ctx) => {
        const asked = await ctx.elicit(
          "which",
          `Which call is ${id}?`,
          z.object({ id: z.string(), principal: z.string() }),
        );
        if (asked.action !== "accept") return { echo: asked.action, principal: ctx.principal?.subject ?? "" };
        return { echo: asked.content.id, principal: asked.content.principal };
      }),
      tool(
        "work",
        {
          input: z.object({ id: z.string(), forMs: z.number() }),
          output: answer.extend({ run: z.string() }),
          task: "optional",
          pollIntervalMs: 250,
        },
        async ({ id, forMs }, ctx) => {
          const run = crypto.randomUUID();
          record({ kind: "attempt", task: id, run });
          await pause(forMs, ctx.signal);
          return { echo: id, principal: ctx.principal?.subject ?? "", run };
        },
      ),
    ],
  });
  // Any event may be subscribed to; nobody reads it.
  server.resource("event://{stream}/{n}", { description: "An event" }, () => "");
  return server;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
