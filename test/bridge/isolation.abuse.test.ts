import { createServer } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { callNewest } from "../support/http/stateless-request.ts";
import { turns } from "../support/turns.ts";

function createAsking(revision: "2025-11-25" | "2026-07-28") {
  const server = createServer({ name: "asking", version: "1", revisions: [revision] });
  server.tool("ask", {}, async (_, ctx) => {
    const { content } = await ctx.elicit("Your secret?", z.object({ secret: z.string() }));
    await ctx.progress(1, 1);
    return `${content?.secret}`;
  });
  server.tool("other", {}, () => "other");
  return server;
}

async function serve(revision: "2025-11-25" | "2026-07-28", options = {}) {
  const bridge = await openBridge(createAsking(revision), options);
  const running = await serveHttp(bridge.server, {
    identify: (request) => ({ issuer: "test", subject: request.header("x-user") ?? "nobody" }),
  });
  onTestFinished(async () => {
    await running.close(0);
    await bridge.close();
  });
  const open = async (user: string) => {
    const client = await connect(running.url, {
      headers: { "x-user": user },
      revisions: ["2026-07-28"],
      elicit: () => ({ action: "accept", content: { secret: user } }),
    });
    onTestFinished(() => client.close());
    return client;
  };
  return { bridge, url: running.url, open };
}

it.each(["2025-11-25", "2026-07-28"] as const)(
  "a round of one principal can't be continued by another, nor twice, before a server of %s",
  async (revision) => {
    const { open } = await serve(revision);
    const [ann, bob] = [await open("ann"), await open("bob")];
    const first = await ann.tools.call("ask", {}, { rounds: "manual" });
    const [key = ""] = Object.keys(first.inputRequests ?? {});
    const next = {
      rounds: "manual" as const,
      requestState: first.requestState,
      inputResponses: { [key]: { action: "accept", content: { secret: "mine" } } },
    };
    await expect(bob.tools.call("ask", {}, next)).rejects.toMatchObject({ wireCode: -32602 });
    // Nor by the call of another tool, or with other arguments.
    await expect(ann.tools.call("other", {}, next)).rejects.toMatchObject({ wireCode: -32602 });
    await expect(ann.tools.call("ask", { x: 1 }, next)).rejects.toMatchObject({ wireCode: -32602 });
    expect((await ann.tools.call("ask", {}, next)).content).toMatchObject([{ text: "mine" }]);
    await expect(ann.tools.call("ask", {}, next)).rejects.toMatchObject({ wireCode: -32602 });
  },
);

it.each(["2025-11-25", "2026-07-28"] as const)(
  "progress after an answer reaches the round that brought it, from a server of %s",
  async (revision) => {
    const { open } = await serve(revision);
    const seen: number[] = [];
    const client = await open("ann");
    await client.tools.call("ask", {}, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1]);
  },
);

it("each of many callers at once is asked its own question", async () => {
  const { open } = await serve("2025-11-25");
  const users = Array.from({ length: 12 }, (_, n) => `user${n}`);
  const clients = await Promise.all(users.map(open));
  const answers = await Promise.all(
    clients.flatMap((client) => [client.tools.call("ask"), client.tools.call("ask")]),
  );
  expect(answers.map(({ content }) => content)).toMatchObject(
    users.flatMap((user) => [[{ text: user }], [{ text: user }]]),
  );
});

it("beyond the limit of connections a caller is told to come back, and the others go on", async () => {
  const { bridge, url, open } = await serve("2025-11-25", { maxConnections: 1 });
  const [ann, bob] = [await open("ann"), await open("bob")];
  const first = await ann.tools.call("ask", {}, { rounds: "manual" });
  const refused = await callNewest(url, "ask", {}, { headers: { "x-user": "bob" } });
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "5"]);
  const [key = ""] = Object.keys(first.inputRequests ?? {});
  const inputResponses = { [key]: { action: "decline" } };
  await ann.tools.call("ask", {}, { rounds: "manual", requestState: first.requestState, inputResponses });
  while (bridge.running > 0) await turns(1);
  expect((await bob.tools.call("ask")).content).toMatchObject([{ text: "bob" }]);
});
