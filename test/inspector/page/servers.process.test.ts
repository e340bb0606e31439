import { fileURLToPath } from "node:url";
import { createServer, tool } from "allspeak";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InspectorPage, program } from "../support/chromium.ts";
import { expectCount } from "../support/expect-shown.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../../interop/fixtures/${name}`, import.meta.url));
const theirs = (name: string) => ({ command: process.execPath, args: [fixture(name)] });

/** A printer whose work is always a task. */
function createPrinter() {
  const print = tool("print", { task: "required", pollIntervalMs: 20 }, () => "printed");
  return createServer({ name: "printer", version: "1.0.0", tools: [print] });
}

describe.skipIf(program === undefined)("the page, with servers of all makers", () => {
  let inspected: InspectorPage;

  beforeAll(async () => {
    inspected = await InspectorPage.open({
      servers: {
        printer: { target: createPrinter(), title: "Printer", isFirst: true },
        v1: { target: theirs("official-v1-tasks-server.mjs"), title: "SDK v1" },
        v2: { target: theirs("official-v2-server.mjs"), title: "SDK v2" },
      },
    });
    await inspected.page.getByRole("option", { name: /print/ }).waitFor();
  });
  afterAll(() => inspected?.close());

  test("lists every server that it offers, and connects to one by a click", async () => {
    const { servers } = inspected;
    await expectCount(servers.getByRole("link", { name: /^Printer.+open/ }), 1);
    await expectCount(servers.getByRole("button"), 2);
    expect(await servers.getByRole("button").allInnerTexts()).toEqual([
      expect.stringContaining("SDK v1"),
      expect.stringContaining("SDK v2"),
    ]);
    await inspected.shot("offered");
    await inspected.expectSound();
    await inspected.connect("SDK v2");
    await servers.getByRole("link", { name: /^SDK v2.+open.+2026-07-28/ }).waitFor();
    await expectCount(servers.getByRole("button"), 1);
    expect(await servers.getByRole("button").allInnerTexts()).toEqual([expect.stringContaining("SDK v1")]);
  });

  test("shows the address that a server wants the person to visit, and opens it only after two decisions", async () => {
    const { page } = inspected;
    await inspected.tool("ask-visit");
    await inspected.run();
    const question = page.getByRole("complementary", { name: "Questions" });
    await question.locator("strong", { hasText: "example.com" }).waitFor();
    const link = question.locator("a[href='https://example.com/pay']");
    await expectCount(link, 0);
    await question.getByRole("button", { name: "Open…" }).click();
    await link.getByText("Open example.com in a new tab", { exact: true }).waitFor();
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    await inspected.shot("visit");
    await inspected.expectSound();
    await question.getByRole("button", { name: "I agree to visit it" }).click();
    await page.getByRole("region", { name: "Result" }).getByText('"accept"').waitFor();
  });

  test("sends any request and any notification as it is written", async () => {
    const { page } = inspected;
    await page.getByRole("link", { name: "Raw", exact: true }).click();
    const method = page.getByLabel("Method");
    await method.fill("tools/call");
    const params = { name: "echo", arguments: { text: "raw words" } };
    await page.getByLabel("Params as JSON").fill(JSON.stringify(params));
    await inspected.button("Send as a request").click();
    await page.getByRole("region", { name: "Result" }).getByText("raw words").waitFor();
    await inspected.shot("raw");
    await inspected.expectSound();
    await method.fill("no/such");
    await inspected.button("Send as a request").click();
    await page.getByRole("alert").getByText("-32601").waitFor();
    await method.fill("notifications/whatever");
    await inspected.button("Send as a notification").click();
    await page.getByText("Sent.").waitFor();
  });

  test("makes a call a task, follows its states, and cancels it", async () => {
    const { page } = inspected;
    await inspected.connect("SDK v1");
    await inspected.tool("sleep");
    await page.getByLabel("as a task").check();
    await inspected.run();
    await page.getByRole("status", { name: "Open calls" }).getByText("task working").waitFor();
    await page.getByRole("link", { name: "Tasks", exact: true }).click();
    const task = page.getByRole("main").getByRole("listitem").filter({ hasText: "kept for" });
    await task.getByText("working", { exact: true }).waitFor();
    await task.getByRole("button", { name: "Look" }).click();
    await task.getByText('"pollIntervalMs"').waitFor();
    await inspected.shot("tasks");
    await inspected.expectSound();
    await task.getByRole("button", { name: "Cancel the task" }).click();
    await task.getByText("cancelled", { exact: true }).waitFor();
    await task.getByRole("button", { name: "Cancel the task" }).waitFor({ state: "hidden" });
  });

  test("lists the tasks of a revision in which the server decides what becomes one", async () => {
    const { page, servers } = inspected;
    await servers.getByRole("link", { name: /^Printer/ }).click();
    await page.getByRole("link", { name: "Tools", exact: true }).click();
    await inspected.tool("print");
    await inspected.run();
    await page.getByRole("region", { name: "Result" }).getByText("printed").waitFor();
    await page.getByRole("link", { name: "Tasks", exact: true }).click();
    await page.getByRole("main").getByText("completed", { exact: true }).waitFor();
  });
});
