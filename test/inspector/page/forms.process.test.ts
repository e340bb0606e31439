import { createServer, tool } from "allspeak";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { InspectorPage, program } from "../support/chromium.ts";
import { expectCount, valueWith } from "../support/expect-shown.ts";

/** The arguments with which the tool `count` ran. */
const counted: number[] = [];

function createClub() {
  const member = z.object({
    name: z.string().default("Ada"),
    adult: z.boolean(),
    news: z.boolean().optional(),
  });
  return createServer({
    name: "club",
    version: "1.0.0",
    tools: [
      tool("count", { input: z.object({ times: z.number() }) }, ({ times }) => {
        counted.push(times);
        return `counted ${times}`;
      }),
      tool("join", { input: member }, ({ adult, news }) => `adult ${adult}, news ${news}`),
      tool("ask-form", {}, async (_, ctx) => {
        const form = z.object({ adult: z.boolean(), motto: z.string() });
        const answer = await ctx.elicit("who", "Who are you?", form);
        return answer.action === "accept" ? `adult: ${answer.content.adult}` : answer.action;
      }),
      tool("ask-model", {}, async (_, ctx) => {
        const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Greet." } }];
        return `said ${(await ctx.sample("greeting", { messages, maxTokens: 9 })).text}`;
      }),
      tool("ask-roots", {}, async (_, ctx) => `folders ${(await ctx.roots()).map(({ uri }) => uri).join()}`),
    ],
  });
}

describe.skipIf(program === undefined)("the page, with forms and their keys", () => {
  let inspected: InspectorPage;

  beforeAll(async () => {
    inspected = await InspectorPage.open({ servers: { club: { target: createClub(), isFirst: true } } });
    await inspected.page.getByRole("option", { name: /join/ }).waitFor();
  });
  afterAll(() => inspected?.close());

  const result = () => inspected.page.getByRole("region", { name: "Result" });
  const questions = () => inspected.page.getByRole("complementary", { name: "Questions" });

  test("leaves a boolean open until somebody decides it, also one that is required", async () => {
    const { page } = inspected;
    await inspected.tool("join");
    const adult = page.getByRole("radiogroup", { name: /^adult/ });
    await adult.waitFor();
    await expectCount(adult.getByRole("radio", { checked: true }), 0);
    await inspected.run();
    await page.getByRole("main").getByText("This is required.").waitFor();
    await result().getByText("tool error").waitFor();
    await adult.getByRole("radio", { name: "false" }).check();
    const news = page.getByRole("radiogroup", { name: /^news/ });
    await news.getByRole("radio", { name: "not sent", checked: true }).waitFor({ state: "attached" });
    await inspected.shot("boolean");
    await inspected.expectSound();
    await inspected.run();
    await result().getByText("adult false, news undefined").waitFor();
  });

  test("says that a text is not a number, and sends what was typed", async () => {
    const { page } = inspected;
    await inspected.tool("count");
    await page.getByLabel(/^times/).fill("abc");
    await inspected.run();
    await page.getByRole("main").getByText('"abc" is not a number.').waitFor();
    await result().getByText("tool error").waitFor();
    await result()
      .getByText(/expected number, received string/)
      .first()
      .waitFor();
  });

  test("calls no tool while the text of its arguments is not JSON", async () => {
    const { page } = inspected;
    counted.length = 0;
    await inspected.tool("count");
    await page.getByLabel(/^times/).fill("1");
    await page.getByRole("radio", { name: "JSON" }).click();
    const json = page.getByLabel("Arguments as JSON");
    await json.fill('{"times":2');
    await inspected.run();
    await page.getByRole("main").getByText("The arguments are not JSON; nothing was sent.").waitFor();
    await json.press("Control+Enter");
    await json.fill('{"times":3}');
    await inspected.run();
    await result().getByText("counted 3").waitFor();
    expect(counted).toEqual([3]);
    await page.getByRole("radio", { name: "Form" }).click();
  });

  test("does not accept a question whose boolean nobody decided", async () => {
    await inspected.tool("ask-form");
    await inspected.run();
    await questions()
      .getByLabel(/^motto/)
      .fill("onwards");
    await questions().getByRole("button", { name: "Accept" }).click();
    await questions().getByText("This is required.").waitFor();
    const adult = questions().getByRole("radiogroup", { name: /^adult/ });
    await adult.getByRole("radio", { name: "true" }).check();
    await questions()
      .getByLabel(/^motto/)
      .press("Control+Enter");
    await result().getByText("adult: true").waitFor();
  });

  test("sends the reply of a model, and folders, by a key", async () => {
    await inspected.tool("ask-model");
    await inspected.run();
    await questions().getByLabel("Reply of the model").fill("good day");
    await questions().getByLabel("Reply of the model").press("Control+Enter");
    await result().getByText("said good day").waitFor();
    await inspected.tool("ask-roots");
    await inspected.run();
    await questions().getByRole("textbox").fill("/home/ada");
    await questions().getByRole("textbox").press("Control+Enter");
    await result().getByText("folders file:///home/ada").waitFor();
  });

  test("shows no connection of a replay among the servers of the person", async () => {
    const { page, servers } = inspected;
    const head = { transcript: 1, startedAt: "2026-01-01T00:00:00.000Z", transport: { kind: "memory" } };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask-form", arguments: {} } };
    const answer = { jsonrpc: "2.0", id: 1, result: { content: [] } };
    const lines = [
      head,
      { at: 0, from: "client", message: call },
      { at: 1, from: "server", message: answer },
    ];
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    await inspected.go("#/recordings");
    const buffer = Buffer.from(text);
    await page.getByLabel("Load a file").setInputFiles({ name: "asked", mimeType: "text/plain", buffer });
    await page.getByLabel("Replay it against").selectOption({ index: 1 });
    await inspected.button("Replay").click();
    await questions().getByText("Who are you?").waitFor();
    expect(await servers.getByRole("link").allInnerTexts()).toEqual([
      expect.stringContaining("club"),
      expect.stringContaining("Connect"),
    ]);
    await questions().getByRole("button", { name: "Decline" }).click();
    await page.getByRole("region", { name: "Replay" }).waitFor();
    await inspected.shot("replay");
    await inspected.expectSound();
    await inspected.servers.getByRole("link", { name: /^club/ }).click();
  });

  test("counts what a filter leaves, of all there is", async () => {
    const { page } = inspected;
    await page.getByLabel("Search tools").fill("ask");
    await page.getByRole("main").getByText("3 of 5", { exact: true }).waitFor();
    await inspected.go("#/wire");
    const counter = page.getByRole("status", { name: "Messages that match" });
    await counter.getByText(/^\d+ messages$/).waitFor();
    // More messages may come meanwhile.
    await page.getByLabel("Kind").selectOption("notification");
    await counter.getByText(/^0 of [1-9]\d* messages$/).waitFor();
    await page.getByLabel("Kind").selectOption("request");
    const counted = counter.getByText(/^[1-9]\d* of \d+ messages$/);
    const [requests = 0, all = 0] = ((await counted.textContent()) ?? "").match(/\d+/g)?.map(Number) ?? [];
    expect(requests).toBeLessThan(all);
  });

  test("remembers a command line and an address, without the secrets in them", async () => {
    const { page } = inspected;
    await inspected.go("#/connect?by=command");
    const command = "node server.mjs --port 80 --api-key hunter2 --token=hunter2 DB_PASSWORD=hunter2";
    await page.getByLabel("Command", { exact: true }).fill(command);
    await inspected.button("Show what would run").click();
    await questions().getByRole("button", { name: "Do not run it" }).click();
    await page.getByRole("alert").waitFor();
    await inspected.go("#/connect?by=url");
    await page.getByLabel("Address").fill("http://ada:hunter2@127.0.0.1:9/mcp?key=hunter2");
    await inspected.button(/^Connect$/).click();
    await page.getByRole("alert").waitFor();
    const stored = await page.evaluate(() => JSON.stringify(localStorage));
    expect(stored).toContain("node server.mjs --port 80 --api-key");
    expect(stored).toContain("http://127.0.0.1:9/mcp");
    expect(stored + page.url()).not.toContain("hunter2");
  });

  test("keeps secrets out of the address of a call in five revisions", async () => {
    const { page } = inspected;
    await inspected.go("#/revisions");
    await page.getByLabel("Do").selectOption("join");
    await page.getByRole("radio", { name: "JSON" }).click();
    const given = { name: "Ada", adult: true, password: "hunter2" };
    await page.getByLabel("Arguments as JSON").fill(JSON.stringify(given));
    await page.waitForURL(/Ada/);
    expect(page.url()).not.toContain("hunter2");
    await valueWith(page.getByLabel("Arguments as JSON"), "hunter2");
  });
});
