import type { Pipe } from "../../contract/pipe.ts";
import { isServable, type Servable } from "../../contract/service.ts";
import { nextTurn } from "../../lib/async/yield-turn.ts";
import { servePipe } from "../../peer/server-connection.ts";
import { createMemoryPipe } from "../../transports/memory/pipe.ts";
import { RawClient, type RawMessage } from "./raw-client.ts";

/** The observations that a badly behaved client made of a server. */
export interface ClientVisit {
  /** All messages of the server, in their order. */
  readonly received: readonly RawMessage[];
  /** True if the server itself hung up. */
  readonly wasCutOff: boolean;
}

/** A server value, or a function that opens the client's end of a pipe to any server. */
export type VisitedServer = Servable | (() => Pipe);

type Visit = (server: VisitedServer) => Promise<ClientVisit>;

/** The names of the clients. */
export type ZooClientName =
  | "garbage"
  | "neverInitializes"
  | "initializesTwice"
  | "callFlood"
  | "duplicateIds"
  | "cancelsEverything"
  | "strayAnswers"
  | "leaves"
  | "notificationFlood";

/** Clients that behave badly, each in one way. They resolve when they have done it and the server has answered. */
export const zooClients: Readonly<Record<ZooClientName, Visit>> = {
  /** Sends text that is not JSON, and JSON that is not a message. */
  garbage: toVisit((client) => {
    const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
    const id = "x".repeat(10_000);
    const texts = [
      "{",
      "null",
      "[]",
      "\u0000",
      deep,
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    ];
    for (const text of texts) client.send(text);
    client.send({ jsonrpc: "2.0", id, method: "ping" });
    client.send({ jsonrpc: "2.0", id: 1, method: 5, params: "none" });
  }),
  /** Asks for the tools before it has opened the session. */
  neverInitializes: toVisit(async (client) => void (await client.ask("tools/list"))),
  /** Opens the session twice. */
  initializesTwice: toVisit(async (client) => {
    await client.initialize();
    await client.initialize();
    await client.ask("tools/list");
  }),
  /** Asks 1,000 times before it reads the first answer. */
  callFlood: toVisit(async (client) => {
    await client.initialize();
    await Promise.all(Array.from({ length: 1_000 }, () => client.ask("tools/list")));
  }),
  /** Uses one id for two requests at the same time. */
  duplicateIds: toVisit(async (client) => {
    await client.initialize();
    client.send({ jsonrpc: "2.0", id: "same", method: "tools/list", params: {} });
    client.send({ jsonrpc: "2.0", id: "same", method: "prompts/list", params: {} });
    await client.until(({ id }) => id === "same");
  }),
  /** Cancels each request as soon as it is sent, and requests that were never sent. */
  cancelsEverything: toVisit(async (client) => {
    await client.initialize();
    for (let id = 100; id < 200; id++) {
      client.send({ jsonrpc: "2.0", id, method: "tools/list", params: {} });
      client.notify("notifications/cancelled", { requestId: id });
      client.notify("notifications/cancelled", { requestId: `never-${id}` });
    }
    await client.ask("ping");
  }),
  /** Answers questions that nobody asked. */
  strayAnswers: toVisit(async (client) => {
    await client.initialize();
    for (const id of [1, "server-1", 999])
      client.send({ jsonrpc: "2.0", id, result: { action: "accept", content: {} } });
    await client.ask("ping");
  }),
  /** Leaves in the middle of its requests. */
  leaves: toVisit(async (client) => {
    await client.initialize();
    for (let count = 0; count < 100; count++) void client.ask("tools/list");
    await client.close();
  }),
  /** Sends notifications that make no sense, 1,000 of them. */
  notificationFlood: toVisit(async (client) => {
    await client.initialize();
    for (let count = 0; count < 1_000; count++)
      client.notify("notifications/progress", { progressToken: `none-${count}`, progress: count });
    await client.ask("ping");
  }),
};

function toVisit(misbehave: (client: RawClient) => void | Promise<void>): Visit {
  return async (server) => {
    const client = new RawClient(openPipe(server));
    await misbehave(client);
    // Answers to messages that nobody waits for.
    await nextTurn();
    const visit = { received: client.received, wasCutOff: client.isClosed };
    await client.close();
    return visit;
  };
}

function openPipe(server: VisitedServer): Pipe {
  if (!isServable(server)) return server();
  const [near, far] = createMemoryPipe();
  servePipe(server, far);
  return near;
}
