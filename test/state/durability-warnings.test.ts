import { createServer, tool } from "allspeak";
import { memoryState, type State } from "allspeak/http";
import { expect, it } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { callNewest } from "../support/http/stateless-request.ts";

const [entry] = entries;
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
