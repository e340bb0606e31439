import { createMemoryPipe } from "allspeak";
import { connectTest, RawClient, type ScriptedServer, zoo } from "allspeak/testing";
import { describe, expect, test } from "vitest";
import { failure } from "../support/open-client.ts";
import { restaurant } from "./restaurant.ts";

/** A client of a server of the zoo, which keeps its problems. */
async function visit(server: ScriptedServer, options: Parameters<typeof connectTest>[1] = {}) {
  const problems: string[] = [];
  const client = await connectTest(server.transport, {
    onProblem: ({ message }) => problems.push(message),
    ...options,
  });
  return { client, problems };
}

describe.each(["2025-11-25", "2026-07-28"] as const)("a client of %s", (revision) => {
  test("ends a list that has no end", async () => {
    const { client } = await visit(zoo.servers.endlessList({ revision }));
    expect(await failure(client.tools.list().all())).toMatchObject({ code: "invalid-response" });
    await client.close();
  });

  test("ends a list that repeats a cursor, and has its tools once", async () => {
    const { client, problems } = await visit(zoo.servers.repeatedCursor({ revision }));
    expect(await client.tools.list().all()).toHaveLength(1);
    expect(problems).toHaveLength(1);
    await client.close();
  });

  test("takes the first of two answers", async () => {
    const { client } = await visit(zoo.servers.duplicateAnswers({ revision }));
    expect(await client.tools.call("read")).toMatchObject({ content: [{ text: "first" }] });
    await client.close();
  });

  test("reads on after garbage and after lines of a log", async () => {
    const { client, problems } = await visit(zoo.servers.garbage({ revision }));
    expect(await client.tools.call("read")).toMatchObject({ content: [{ text: "after garbage" }] });
    expect(problems.length).toBeGreaterThan(3);
    await client.close();
    const printing = await visit(zoo.servers.printsToStdout({ revision }));
    expect(await printing.client.tools.call("read")).toMatchObject({
      content: [{ text: "between the lines" }],
    });
    await printing.client.close();
  });

  test.each(["silent", "wrongIds", "halfClosed", "slow", "endlessProgress"] as const)(
    "gives up a call of the server %s in time",
    async (name) => {
      const { client } = await visit(zoo.servers[name]({ revision }));
      const call = client.tools.call("read", {}, { timeout: { total: 30 }, onProgress: () => {} });
      expect(await failure(call)).toMatchObject({ code: "timeout" });
      await client.close();
    },
  );

  test("is told that a server crashed", async () => {
    const { client } = await visit(zoo.servers.crashOnCall({ revision }));
    expect(await failure(client.tools.call("read"))).toMatchObject({ code: "connection-closed" });
  });

  test("refuses a result that is none, and one that its schema forbids", async () => {
    const invalid = await visit(zoo.servers.invalidResult({ revision }));
    expect(await failure(invalid.client.tools.call("read"))).toMatchObject({ code: "invalid-response" });
    await invalid.client.close();
    const lying = await visit(zoo.servers.lyingSchema({ revision }));
    await lying.client.tools.list().all();
    expect(await failure(lying.client.tools.call("read"))).toMatchObject({ code: "invalid-output" });
    await lying.client.close();
  });

  test("is not kept from its work by a flood of changes", async () => {
    const { client } = await visit(zoo.servers.notificationFlood({ revision }));
    await client.tools.list().all();
    expect(await client.tools.call("read")).toMatchObject({ content: [{ text: "ok" }] });
    await client.close();
  });
});

test("a client ends rounds that never end", async () => {
  const { client } = await visit(zoo.servers.endlessRounds(), { elicit: () => ({ action: "cancel" }) });
  expect(await failure(client.tools.call("read"))).toMatchObject({ code: "invalid-response" });
  await client.close();
});

test("a client answers a flood of questions only in part", async () => {
  const server = zoo.servers.askFlood();
  const { client } = await visit(server, { elicit: () => new Promise(() => {}) });
  const call = failure(client.tools.call("read", {}, { timeout: { total: 200 } }));
  const refusal = await server.connection.next(({ error }) => error !== undefined);
  expect(refusal).toMatchObject({ id: expect.stringMatching(/^ask-/) });
  await client.close();
  await call;
});

describe("a server", () => {
  const names = Object.keys(zoo.clients) as (keyof typeof zoo.clients)[];

  test.each(names)("serves others after a visit of the client %s", async (name) => {
    const { received } = await zoo.clients[name](restaurant);
    for (const message of received) expect(message).toMatchObject({ jsonrpc: "2.0" });
    await using client = await connectTest(restaurant);
    expect(await client.tools.call("whoami")).toMatchObject({ content: [{ text: "nobody" }] });
  });

  test("answers each piece of garbage that can be answered with an error", async () => {
    const { received, wasCutOff } = await zoo.clients.garbage(restaurant);
    expect(received.length).toBeGreaterThan(3);
    for (const { error } of received) expect(error).toMatchObject({ code: expect.any(Number) });
    expect(wasCutOff).toBe(false);
  });
});

test("a raw client is told when the server hangs up", async () => {
  const [near, far] = createMemoryPipe();
  const client = new RawClient(near);
  await far.close();
  expect((await failure(client.until(() => true))).message).toContain("closed the connection");
});
