import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, test } from "vitest";
import { InspectorPage, program } from "../support/chromium.ts";
import { expectCount } from "../support/expect-shown.ts";
import { createDemoServer } from "../support/server.ts";

describe.skipIf(program === undefined)("the page, for those who compare, judge and host", () => {
  let inspected: InspectorPage;

  beforeAll(async () => {
    const servers = { demo: { target: createDemoServer(), title: "A demo", isFirst: true } };
    inspected = await InspectorPage.open({ servers });
    await inspected.page.getByRole("option", { name: /echo/ }).waitFor();
  });
  afterAll(() => inspected?.close());

  test("sends one call as a client of each revision, and marks the differences", async () => {
    const { page } = inspected;
    await inspected.tool("add");
    await page.getByLabel(/^a /).fill("2");
    await page.getByLabel(/^b /).fill("3");
    await page.getByRole("link", { name: "In five revisions" }).click();
    await inspected.button("Ask in each revision").click();
    const answers = page.getByRole("region", { name: "Answers side by side" });
    await answers.getByText("/structuredContent/sum").waitFor();
    // The answers come one by one.
    await expectCount(page.locator(".revision-heads li"), 5);
    // The oldest two revisions have no structured content.
    const sums = answers.getByRole("listitem").filter({ hasText: "/structuredContent/sum" });
    await expectCount(sums.locator(".different"), 2);
    await inspected.shot("revisions");
    await inspected.expectSound();
  });

  test("shows what the doctor finds, with the cost of each tool", async () => {
    const { page } = inspected;
    await inspected.go("#/judge");
    await inspected.button("Examine the server").click();
    const costs = page.getByRole("table", { name: "Tokens of each tool" });
    await costs.getByRole("rowheader", { name: "summarize" }).waitFor({ timeout: 15_000 });
    await page.getByRole("region", { name: "Findings" }).waitFor();
    await inspected.shot("judge");
    await inspected.expectSound();
  });

  test("tests the load, with a histogram of latency and its course over time", async () => {
    const { page } = inspected;
    await inspected.go("#/judge/load");
    await page.getByLabel("Do").selectOption("ping");
    await page.getByRole("spinbutton", { name: "Calls" }).fill("200");
    await inspected.button("Start").click();
    await page.getByRole("img", { name: /Histogram of latency/ }).waitFor();
    await page.locator(".plot-bar").first().waitFor({ state: "attached" });
    await page.getByRole("img", { name: /^Latency over/ }).waitFor();
    await inspected.shot("load");
  });

  test("tests no load while the text of the arguments is not JSON", async () => {
    const { page } = inspected;
    await page.getByLabel("Do").selectOption("tool echo");
    await page.getByRole("radio", { name: "JSON" }).click();
    const json = page.getByLabel("Arguments as JSON");
    await json.fill('{"text":');
    await page.getByRole("button", { name: "Start", disabled: true }).waitFor();
    await json.fill('{"text":"x"}');
    await page.getByRole("button", { name: "Start", disabled: false }).waitFor();
  });

  test("lets a scripted model use the tools of several servers, and counts what each step costs", async () => {
    const { page } = inspected;
    await inspected.go("#/host");
    await inspected.button("Begin a conversation").click();
    await inspected.button("Add a rule").click();
    await page.getByLabel("if it says").fill("please");
    await page.getByLabel("What rule 1 does").selectOption("call a tool");
    await page.getByLabel("Tool of rule 1").fill("demo__echo");
    await page.getByLabel("Arguments of rule 1 as JSON").fill('{"text":"from the tool"}');
    await page.getByLabel("Say something to the model").fill("please echo");
    await inspected.button("Say").last().click();
    const conversation = page.getByRole("region", { name: "Conversation" });
    await conversation.getByText("from the tool", { exact: true }).first().waitFor();
    await page.getByLabel("Search the tools as a model would").fill("add numbers");
    await page.getByRole("region", { name: "Tool search" }).getByText("add").first().waitFor();
    await inspected.shot("host");
    await inspected.expectSound();
  });

  test("makes a recording, compares it with a replay, uses it as a server, and turns it into a test", async () => {
    const { page } = inspected;
    await inspected.go("#/recordings");
    await page.getByLabel("Name of the recording").fill("first run");
    await inspected.button("Save what was said so far").click();
    await page.getByRole("heading", { name: "first run" }).waitFor();
    await page.getByLabel("Replay it against").selectOption({ index: 1 });
    await inspected.button("Replay").click();
    await page.getByRole("region", { name: "Replay" }).getByText("tools/list").first().waitFor();
    await inspected.button("Make a test of it").click();
    await page.getByText("vitest").first().waitFor();
    await inspected.shot("recordings");
    await inspected.expectSound();
    await inspected.button("Use it as a server").click();
    await page.getByRole("option", { name: /echo/ }).waitFor();
  });

  test("saves a recording as a file, loads a changed one, and compares the two", async () => {
    const { page } = inspected;
    await inspected.go("#/recordings");
    const saving = page.waitForEvent("download");
    await inspected.button("Save first run as a file").click();
    const saved = await (await saving).path();
    const text = (await readFile(saved, "utf8")).replace('"echo"', '"repeat"');
    const file = { name: "second run.jsonl", mimeType: "application/json", buffer: Buffer.from(text) };
    await page.getByLabel("Load a file").setInputFiles(file);
    await page.getByRole("heading", { name: "second run.jsonl" }).waitFor();
    await page.getByLabel("Compare it with").selectOption({ label: "first run" });
    await inspected.button("Compare").click();
    const comparison = page.getByRole("region", { name: "Comparison" });
    await comparison.getByRole("cell", { name: "/tools/0/name" }).first().waitFor();
    await comparison.getByLabel("only what differs").check();
    await expectCount(comparison.getByText("1 different"), 1);
    await expectCount(comparison.getByRole("listitem"), 1);
    await inspected.shot("comparison");
    await inspected.expectSound();
    await page.getByLabel("Load a file").setInputFiles({ ...file, buffer: Buffer.from("{}") });
    await page.getByRole("alert").getByText("not a transcript").waitFor();
  });
});
