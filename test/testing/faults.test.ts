import { createServer, tool } from "allspeak";
import { createFetchHandler } from "allspeak/http";
import { connectTest, type FaultOptions, faults } from "allspeak/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failure, openClient } from "../support/open-client.ts";

/** A server that counts how often its tool ran, and how it is listed. */
function createCounter() {
  let calls = 0;
  const count = tool("count", { input: z.object({ n: z.number().optional() }) }, ({ n }) => {
    calls++;
    return `${n}`;
  });
  const server = createServer({ name: "counter", version: "1.0.0", tools: [count], log: () => {} });
  return { server, calls: () => calls };
}

const isCall = ({ method }: { method: string | undefined }) => method === "tools/call";

async function openFaulty(options: FaultOptions) {
  const { server, calls } = createCounter();
  const storm = faults({ seed: 42, ...options });
  const problems: Error[] = [];
  const client = await connectTest(server, {
    through: [storm],
    revision: "2025-11-25",
    onProblem: (problem) => problems.push(problem),
  });
  return { client, storm, calls, problems };
}

describe("faults of messages", () => {
  test("drop a request, which then takes too long", async () => {
    const { client, calls, storm } = await openFaulty({ drop: isCall });
    expect(await failure(client.tools.call("count", {}, { timeout: { total: 30 } }))).toMatchObject({
      code: "timeout",
    });
    expect(calls()).toBe(0);
    expect(storm.injected).toMatchObject([{ kind: "drop", direction: "sent", method: "tools/call" }]);
    await client.close();
  });

  test("duplicate a request, which a server answers twice", async () => {
    const { client, calls } = await openFaulty({ duplicate: isCall });
    expect(await client.tools.call("count", { n: 1 })).toMatchObject({ content: [{ text: "1" }] });
    expect(calls()).toBe(2);
    await client.close();
  });

  test("delay and reorder answers, which still find their calls", async () => {
    const { client, storm } = await openFaulty({ delay: 0.3, delayMs: 5, reorder: 0.5 });
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => client.tools.call("count", { n })),
    );
    expect(results.map(({ content }) => content[0])).toMatchObject(
      Array.from({ length: 20 }, (_, n) => ({ text: `${n}` })),
    );
    expect(new Set(storm.injected.map(({ kind }) => kind))).toEqual(new Set(["delay", "reorder"]));
    await client.close();
  });

  test("cut the connection, with an error that has the seed", async () => {
    const { client } = await openFaulty({
      cut: ({ number, direction }) => direction === "received" && number === 2,
    });
    expect(await failure(client.tools.call("count"))).toMatchObject({
      code: "connection-closed",
      message: expect.stringMatching(/cut of message 2 received, an answer; seed 42/),
    });
    await client.closed;
  });

  test("are the same for the same seed, and others for another", async () => {
    const happen = async (seed: number) => {
      const { client, storm } = await openFaulty({ seed, duplicate: 0.3 });
      for (let n = 0; n < 20; n++) await client.tools.call("count", { n });
      await client.close();
      return storm.injected.map(({ direction, number }) => `${direction} ${number}`).sort();
    };
    const [first, again, other] = [await happen(1), await happen(1), await happen(2)];
    expect(first.length).toBeGreaterThan(3);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  test("are named with their seed in the error of the test that they break", async () => {
    const { client, storm } = await openFaulty({ drop: isCall });
    const error = await failure(
      storm.during(() => client.tools.call("count", {}, { timeout: { total: 20 } })),
    );
    expect(error.message).toMatch(
      /took longer than 20 ms[\s\S]*\nFaults with the seed 42:\n {2}drop of message \d+ sent, tools\/call$/,
    );
    expect(error.cause).toMatchObject({ code: "timeout" });
    await client.close();
  });

  test("with a chance that is none are refused", () => {
    expect(() => faults({ drop: 2 })).toThrow(
      "faults: drop must be a share from 0 to 1 or a function, not 2.",
    );
  });
});

describe("faults of fetch", () => {
  const url = "http://localhost/mcp";

  async function openFetch(options: FaultOptions) {
    const { server, calls } = createCounter();
    const handler = createFetchHandler(server);
    const storm = faults({ seed: 7, ...options });
    const fetch = storm.fetch((input, init) => handler(new Request(input, init)));
    return { client: await openClient(url, { fetch: fetch as typeof globalThis.fetch }), storm, calls };
  }

  test("answer with a status before the server sees the request", async () => {
    const { client, calls } = await openFetch({ status: isCall, statusCode: 418 });
    const error = await failure(client.tools.call("count"));
    expect(error.message).toContain("418");
    expect(calls()).toBe(0);
  });

  test("lose the response of a request that was carried out", async () => {
    const { client, calls } = await openFetch({
      drop: ({ method, direction }) => method === "tools/call" && direction === "received",
    });
    expect(await failure(client.tools.call("count"))).toMatchObject({ code: "call-lost" });
    expect(calls()).toBe(1);
  });

  test("cut a response in the middle", async () => {
    const { client, storm } = await openFetch({ cut: isCall });
    expect(await failure(client.tools.call("count"))).toMatchObject({ code: "call-lost" });
    expect(storm.injected).toMatchObject([{ kind: "cut", method: "tools/call" }]);
  });

  test("send a request twice", async () => {
    const { client, calls } = await openFetch({ duplicate: isCall });
    await client.tools.call("count");
    expect(calls()).toBe(2);
  });
});
