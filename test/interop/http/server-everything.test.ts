import { type Change, type Client, type ConnectOptions, connect, type LogMessage } from "allspeak/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Queue } from "../../support/queue.ts";
import { callForTexts, findLog } from "../everything.ts";
import { serveEverything } from "./everything.ts";
import type { Served } from "./serving.ts";

type Revision = NonNullable<ConnectOptions["revisions"]>[number];
const revisions: readonly Revision[] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

describe.each(["streamableHttp", "sse"] as const)(
  "the everything server of the official project: %s",
  (way) => {
    const logs = new Queue<LogMessage>();
    const problems: Error[] = [];
    let served: Served;
    let client: Client;
    let elicit: NonNullable<ConnectOptions["elicit"]> = () => ({ action: "cancel" });
    beforeAll(async () => {
      served = await serveEverything(way);
      client = await connect(served.url, {
        elicit: (ask, context) => elicit(ask, context),
        sample: ({ maxTokens }) => ({
          role: "assistant",
          model: "tiny",
          content: { type: "text", text: `${maxTokens} tokens` },
        }),
        roots: ["file:///home/me"],
        onLog: (message) => logs.push(message),
        onProblem: (problem) => problems.push(problem),
      });
    });
    afterAll(async () => {
      await client?.close();
      await served.stop();
      expect(problems).toEqual([]);
    });

    test("is found to speak the newest revision with a handshake", () => {
      const shape = way === "sse" ? "sse" : "streamable";
      expect(client.hint).toEqual({ revision: "2025-11-25", shape });
      expect(client.server.info).toMatchObject({ name: "mcp-servers/everything" });
    });

    test("lists what it has, and completes arguments", async () => {
      expect(await client.tools.list().all()).toHaveLength(17);
      expect(await client.resources.list().all()).toHaveLength(7);
      expect(await client.resources.templates().all()).toHaveLength(2);
      expect(await client.prompts.list().all()).toHaveLength(4);
      const ref = { type: "ref/prompt", name: "completable-prompt" } as const;
      const { values } = await client.complete(ref, { name: "department", value: "S" });
      expect(values).toEqual(["Sales", "Support"]);
    });

    test("answers, many calls at once", async () => {
      const numbers = Array.from({ length: 50 }, (_, n) => n);
      const sums = await Promise.all(numbers.map((n) => callForTexts(client, "get-sum", { a: n, b: 1 })));
      expect(sums).toEqual(numbers.map((n) => [`The sum of ${n} and 1 is ${n + 1}.`]));
    });

    test("answers with images, links, resources and structure", async () => {
      const image = await client.tools.call("get-tiny-image");
      expect(image.content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
      const links = await client.tools.call("get-resource-links", { count: 2 });
      expect(links.content.map(({ type }) => type)).toEqual(["text", "resource_link", "resource_link"]);
      const { contents } = await client.resources.read("demo://resource/dynamic/text/2");
      expect(contents).toMatchObject([{ text: expect.stringMatching(/^Resource 2: /) }]);
      const weather = await client.tools.call("get-structured-content", { location: "Chicago" });
      expect(weather.structuredContent).toMatchObject({ temperature: 36 });
    });

    test("reports progress", async () => {
      const heard: unknown[] = [];
      await client.tools.call(
        "trigger-long-running-operation",
        { duration: 0.1, steps: 2 },
        { onProgress: (progress) => void heard.push(progress) },
      );
      expect(heard).toEqual([
        { progress: 1, total: 2 },
        { progress: 2, total: 2 },
      ]);
    });

    test("asks the user, the model, and for roots", async () => {
      elicit = () => ({ action: "decline" });
      expect((await callForTexts(client, "trigger-elicitation-request"))[0]).toMatch(/declined/);
      const sampled = await callForTexts(client, "trigger-sampling-request", {
        prompt: "a poem",
        maxTokens: 7,
      });
      expect(sampled[0]).toContain("7 tokens");
      expect((await callForTexts(client, "get-roots-list"))[0]).toContain("file:///home/me");
      await client.setRoots(["file:///home/me", { uri: "file:///home/you", name: "you" }]);
      expect(await findLog(logs, /^Roots updated: 2 /)).toContain("2 root(s)");
    });

    test("tells of updates, and of lists that have changed", async () => {
      const uri = "demo://resource/dynamic/text/1";
      const changes = new Queue<Change>();
      const subscription = await client.subscribe({ resources: [uri] }, (change) => changes.push(change));
      await callForTexts(client, "toggle-subscriber-updates");
      expect(await changes.next()).toEqual({ kind: "resource", uri });
      await callForTexts(client, "toggle-subscriber-updates");
      await subscription.close();

      const lists = new Queue<Change>();
      const stop = client.onChange((change) => lists.push(change));
      const file = { name: "hello.gz", data: "data:text/plain,hello", outputType: "resourceLink" };
      await client.tools.call("gzip-file-as-resource", file);
      expect(await lists.next()).toEqual({ kind: "resources" });
      stop();
    });

    test.each(revisions)("does so in %s, too", async (revision) => {
      const older = await connect(served.url, {
        revisions: [revision],
        roots: [],
        onProblem: (problem) => problems.push(problem),
      });
      expect(older.server.revision).toBe(revision);
      expect(await callForTexts(older, "get-sum", { a: 2, b: 2 })).toEqual(["The sum of 2 and 2 is 4."]);
      expect(await older.resources.list().all()).toHaveLength(7);
      await older.close();
    });
  },
);
