import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type Client, connect } from "../../src/client.ts";
import { createServer, ToolError, tool } from "../../src/index.ts";
import type { RevisionName } from "../../src/protocol/negotiate.ts";
import { openClient } from "../support/open-client.ts";

const everyRevision: RevisionName[] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

const weather = tool(
  "get-weather",
  {
    input: z.object({ place: z.string(), unit: z.enum(["c", "f"]).optional() }),
    output: z.object({ celsius: z.number() }),
  },
  ({ place }) => {
    if (place === "Atlantis") throw new ToolError("No station near Atlantis.");
    return { celsius: place.length };
  },
);
const bare = tool("bare", {}, () => "bare");
const optional = tool(
  "optional",
  { input: z.object({ note: z.string().optional() }) },
  ({ note }) => `${note}`,
);

const server = createServer({ name: "weather", version: "1", tools: [weather, bare, optional] });

describe.each(everyRevision)("a server value in %s", (revision) => {
  test("is listed and called", async () => {
    const client = await openClient(server, { revisions: [revision] });
    expect(client.server).toMatchObject({ revision, info: { name: "weather", version: "1" } });
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual([
      "get-weather",
      "bare",
      "optional",
    ]);
    const result = await client.tools.call("get-weather", { place: "Oslo" });
    expect(result.isError).toBeFalsy();
    expect(JSON.stringify(result)).toContain("4");
    expect(await client.tools.call("get-weather", { place: "Atlantis" })).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "No station near Atlantis." }],
    });
  });

  test("gives a sign of life", async () => {
    const client = await openClient(server, { revisions: [revision] });
    await expect(client.ping()).resolves.toBeUndefined();
  });
});

describe("a typed client", () => {
  test("knows the names, arguments and results of the server's tools", async () => {
    const client = await connect<typeof server>(server);
    onTestFinished(() => client.close());
    const { structuredContent } = await client.tools.call("get-weather", { place: "Oslo", unit: "c" });
    const celsius: number | undefined = structuredContent?.celsius;
    expect(celsius).toBe(4);
    expect(await client.tools.call("bare")).toMatchObject({ content: [{ text: "bare" }] });
    expect(await client.tools.call("optional")).toMatchObject({ content: [{ text: "undefined" }] });
    expect(await client.tools.call("optional", { note: "x" }, { timeout: { idle: 1_000 } })).toMatchObject({
      content: [{ text: "x" }],
    });

    // @ts-expect-error there is no such tool
    expect((await client.tools.call("get-wether", { place: "Oslo" }).catch((error) => error)).code).toBe(
      "rpc",
    );
    // @ts-expect-error the place is missing
    expect(await client.tools.call("get-weather", {})).toMatchObject({ isError: true });
    // @ts-expect-error arguments are required
    expect(await client.tools.call("get-weather")).toMatchObject({ isError: true });
    // @ts-expect-error the place is a string
    expect(await client.tools.call("get-weather", { place: 7 })).toMatchObject({ isError: true });
  });

  test("takes any name and arguments when nothing is known", async () => {
    const client = await openClient(server);
    const result = await client.tools.call("get-weather", { place: "Oslo" });
    const structured: unknown = result.structuredContent;
    expect(structured).toEqual({ celsius: 4 });
  });
});

describe("a server value that asks", () => {
  const asking = createServer({ name: "asking", version: "1" });
  asking.tool("book", { input: z.object({ seats: z.number() }) }, async ({ seats }, ctx) => {
    const answer = await ctx.elicit(
      "confirm",
      `Book ${seats}?`,
      z.object({ sure: z.boolean().default(true) }),
    );
    const { text } = await ctx.sample("note", {
      messages: [{ role: "user", content: { type: "text", text: "Write a note." } }],
      maxTokens: 10,
    });
    const roots = await ctx.roots();
    return `${answer.action} ${JSON.stringify(answer.content)} ${text} ${roots.map(({ uri }) => uri)}`;
  });

  test.each(["2025-06-18", "2025-11-25"] as const)("is answered live in %s", async (revision) => {
    const client = await openClient(asking, {
      revisions: [revision],
      elicit: () => ({ action: "accept" }),
      sample: () => ({ role: "assistant", content: { type: "text", text: "Dear guest" }, model: "m" }),
      roots: ["file:///home"],
    });
    expect(await client.tools.call("book", { seats: 2 })).toMatchObject({
      content: [{ text: 'accept {"sure":true} Dear guest file:///home' }],
    });
  });
});

test("a handler of a server learns that the client could not answer, and not why", async () => {
  const asking = createServer({ name: "asking", version: "1" });
  asking.tool("ask", {}, async (_, ctx) => {
    const asked = ctx.elicit("name", "Who?", z.object({ name: z.string() }));
    return asked.then(String, (error: Error) => `${error.name}: ${error.message}`);
  });
  const client = await openClient(asking, {
    revisions: ["2025-11-25"],
    elicit: () => {
      throw new Error("no screen");
    },
    onProblem: () => {},
  });
  expect(await client.tools.call("ask")).toMatchObject({
    content: [{ text: "RpcError: The client could not answer elicitation/create." }],
  });
});

test("subscriptions of a server value work in every revision", async () => {
  const files = createServer({ name: "files", version: "1" });
  files.resource("file:///a", { name: "a" }, () => "alpha");
  for (const revision of everyRevision) {
    const client = await openClient(files, { revisions: [revision] });
    const changed = new Promise((resolve) => {
      void client
        .subscribe({ resources: ["file:///a"] }, resolve)
        .then(() => files.resources.updated("file:///a"));
    });
    expect(await changed).toEqual({ kind: "resource", uri: "file:///a" });
  }
});

test("a typed client may stand where any client will do", async () => {
  const names = async (client: Client) => (await client.tools.list().all()).map(({ name }) => name);
  const client = await connect<typeof server>(server);
  onTestFinished(() => client.close());
  expect(await names(client)).toEqual(["get-weather", "bare", "optional"]);
});
