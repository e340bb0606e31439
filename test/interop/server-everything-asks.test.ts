import { gunzipSync } from "node:zlib";
import type { Change, Client, ConnectOptions } from "allspeak/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Queue } from "../support/queue.ts";
import { callForTexts, connectEverything, type Everything, findLog } from "./everything.ts";

let elicit: NonNullable<ConnectOptions["elicit"]> = () => ({ action: "cancel" });
let everything: Everything;
let client: Client;

beforeAll(async () => {
  everything = await connectEverything({
    elicit: (ask, context) => elicit(ask, context),
    sample: ({ messages, maxTokens }) => ({
      role: "assistant",
      model: "tiny",
      content: { type: "text", text: `${messages.length} message, ${maxTokens} tokens` },
    }),
    roots: ["file:///home/me"],
  });
  client = everything.client;
});
afterAll(async () => {
  await client.close();
  expect(everything.problems).toEqual([]);
});

describe("tools that do something on the way", () => {
  test("progress of a long operation", async () => {
    const heard: unknown[] = [];
    const { content } = await client.tools.call(
      "trigger-long-running-operation",
      { duration: 0.1, steps: 2 },
      { onProgress: (progress) => void heard.push(progress) },
    );
    expect(heard).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ]);
    expect(content).toEqual([
      { type: "text", text: "Long running operation completed. Duration: 0.1 seconds, Steps: 2." },
    ]);
  });

  test("a file that becomes a resource of the session", async () => {
    const changes = new Queue<Change>();
    const stop = client.onChange((change) => changes.push(change));
    const { content } = await client.tools.call("gzip-file-as-resource", {
      name: "hello.gz",
      data: "data:text/plain,hello",
      outputType: "resourceLink",
    });
    expect(await changes.next()).toEqual({ kind: "resources" });
    stop();
    const uri = "demo://resource/session/hello.gz";
    expect(content).toEqual([{ type: "resource_link", uri, name: "hello.gz", mimeType: "application/gzip" }]);
    expect((await client.resources.list().all()).at(-1)).toMatchObject({ uri });
    const { contents } = await client.resources.read(uri);
    const [file] = contents;
    if (file === undefined || !("blob" in file)) throw new Error("not a blob");
    expect(gunzipSync(Buffer.from(file.blob, "base64")).toString()).toBe("hello");
  });

  test("updates of a resource, while it is subscribed to", async () => {
    const uri = "demo://resource/dynamic/text/1";
    const changes = new Queue<Change>();
    const subscription = await client.subscribe({ resources: [uri] }, (change) => changes.push(change));
    expect(await callForTexts(client, "toggle-subscriber-updates")).toEqual([
      expect.stringMatching(/^Started/),
    ]);
    expect(await changes.next()).toEqual({ kind: "resource", uri });
    expect(await callForTexts(client, "toggle-subscriber-updates")).toEqual([
      expect.stringMatching(/^Stopped/),
    ]);
    await subscription.close();
    expect(await findLog(everything.logs, /^Received Unsubscribe/)).toContain(uri);
  });

  test("log messages", async () => {
    await client.setLogLevel("debug");
    expect(await callForTexts(client, "toggle-simulated-logging")).toEqual([
      expect.stringMatching(/^Started/),
    ]);
    expect(await findLog(everything.logs, /level[- ]message$/)).toMatch(/^[A-Z]/);
    expect(await callForTexts(client, "toggle-simulated-logging")).toEqual([
      expect.stringMatching(/^Stopped/),
    ]);
  });
});

describe("tools that ask", () => {
  test("the user, with a form of every kind of field, whose defaults are applied", async () => {
    elicit = () => ({ action: "accept", content: { name: "Ann", check: true } });
    const texts = await callForTexts(client, "trigger-elicitation-request");
    const raw = texts.at(-1)?.replace("Raw result: ", "") ?? "";
    expect(JSON.parse(raw)).toEqual({
      action: "accept",
      content: {
        name: "Ann",
        check: true,
        firstLine: "It was a dark and stormy night.",
        integer: 42,
        number: 3.14,
        untitledSingleSelectEnum: "Monica",
        untitledMultipleSelectEnum: ["Guitar"],
        titledSingleSelectEnum: "hero-1",
        titledMultipleSelectEnum: ["fish-1"],
        legacyTitledEnum: "pet-1",
      },
    });
  });

  test("the user, who declines", async () => {
    elicit = () => ({ action: "decline" });
    const [text] = await callForTexts(client, "trigger-elicitation-request");
    expect(text).toMatch(/declined/);
  });

  test("the user, to visit a page", async () => {
    const visit = { url: "https://example.com/pay", message: "Please pay", elicitationId: "pay-1" };
    const asked: unknown[] = [];
    elicit = (ask) => {
      asked.push(ask);
      return { action: "accept" };
    };
    const [text] = await callForTexts(client, "trigger-url-elicitation", visit);
    expect(asked).toEqual([{ mode: "url", ...visit }]);
    expect(text).toContain("Elicitation ID: pay-1");
  });

  test("for a visit that comes first, by an error that says which", async () => {
    const call = client.tools.call("trigger-url-elicitation", {
      url: "https://example.com/pay",
      message: "Please pay",
      errorPath: true,
    });
    await expect(call).rejects.toMatchObject({
      code: "rpc",
      wireCode: -32042,
      data: { elicitations: [{ mode: "url", url: "https://modelcontextprotocol.io" }] },
    });
  });

  test("the model", async () => {
    const [text] = await callForTexts(client, "trigger-sampling-request", { prompt: "a poem", maxTokens: 7 });
    expect(text).toContain("1 message, 7 tokens");
  });

  test("for roots, again when they have changed", async () => {
    expect((await callForTexts(client, "get-roots-list"))[0]).toContain("file:///home/me");
    await client.setRoots(["file:///home/me", { uri: "file:///home/you", name: "you" }]);
    expect(await findLog(everything.logs, /^Roots updated: 2 /)).toContain("2 root(s)");
    expect((await callForTexts(client, "get-roots-list"))[0]).toContain("2. you\n   URI: file:///home/you");
  });
});
