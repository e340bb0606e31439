import { createServer, type LogEntry, tool, UsageError } from "allspeak";
import { connect } from "allspeak/client";
import { memoryState, type State } from "allspeak/http";
import { serveHttp } from "allspeak/node";
import { expect, it, onTestFinished } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { callNewest } from "../support/http/stateless-request.ts";
import { Queue } from "../support/queue.ts";

const [entry] = entries;
const form = { type: "object", properties: { sure: { type: "boolean" } } } as const;
const warning = 'appendfsync is "everysec"; set it to "always".';

function createLogging() {
  const logged: string[] = [];
  const server = createServer({
    name: "s",
    version: "1",
    log: ({ message }) => logged.push(message),
    tools: [tool("echo", {}, () => "x")],
  });
  return { server, logged };
}

async function logOf(durability: State["durability"], isShared = true): Promise<string[]> {
  if (entry === undefined) throw new Error("There is no entry.");
  const { server, logged } = createLogging();
  const state = { ...memoryState(), isShared, durability };
  for (let node = 0; node < 2; node++) {
    const { url, close } = await open(entry, server, { state });
    await callNewest(url, "echo");
    await close();
  }
  return logged;
}

it("a server logs once, at its start, each setting that makes a shared state weaker than asked", async () => {
  const weak = async () => ({ level: "store-crash", warnings: [warning, "another"] }) as const;
  expect(await logOf(weak)).toEqual([warning, "another"]);
});

it("a server logs that the store could not be asked, and serves", async () => {
  expect(await logOf(() => Promise.reject(new Error("ECONNREFUSED")))).toEqual([
    "The store can't be reached, so what its settings promise is not known: ECONNREFUSED",
  ]);
});

it("a server says nothing of a state that it has for itself", async () => {
  expect(await logOf(() => ({ level: "none", warnings: [warning] }), false)).toEqual([]);
});

it("every endpoint that opens a state at once fails where it can't be used, and each opens it when it can", async () => {
  let isThere = false;
  const durability = async () => {
    if (!isThere) throw new UsageError("The package is missing.");
    return { level: "power-loss", warnings: [] } as const;
  };
  const state = { ...memoryState(), isShared: true, durability };
  const { server } = createLogging();
  const serve = () => serveHttp(server, { state });
  const outcomes = await Promise.allSettled([serve(), serve(), serve()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  isThere = true;
  for (const running of await Promise.all([serve(), serve()])) await running.close();
});

/** Asks a client once, and returns what the server logs first. */
async function firstLogOfAsking(state: State): Promise<LogEntry> {
  const logged = new Queue<LogEntry>();
  const server = createServer({
    name: "s",
    version: "1",
    secrets: [Buffer.alloc(32, 1).toString("base64")],
    state,
    log: (entry) => logged.push(entry),
    tools: [tool("ask", {}, async (_, ctx) => (await ctx.elicit("sure", "Sure?", form)).action)],
  });
  const client = await connect(server, { elicit: () => ({ action: "decline" }) });
  onTestFinished(() => client.close());
  await client.tools.call("ask");
  return logged.next();
}

it("a server logs of its own state with the first question, though the client carries what it needs", async () => {
  const durability = async () => ({ level: "none", warnings: [warning] }) as const;
  const { message } = await firstLogOfAsking({ ...memoryState(), isShared: true, durability });
  expect(message).toBe(warning);
});

it("a server logs that its own state is none with the first question, and answers it", async () => {
  const { message, cause } = await firstLogOfAsking({} as State);
  expect(message).toBe("The state can't be used");
  expect(cause).toBeInstanceOf(UsageError);
});
