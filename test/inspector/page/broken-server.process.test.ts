import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InspectorPage, program } from "../support/chromium.ts";

const chatty = fileURLToPath(new URL("../fixtures/chatty.mjs", import.meta.url));

describe.skipIf(program === undefined)("the page, with a server that is broken", () => {
  let inspected: InspectorPage;

  beforeAll(async () => {
    inspected = await InspectorPage.open({
      servers: {
        chatty: {
          target: { command: process.execPath, args: [chatty] },
          title: "Chatty",
          isFirst: true,
        },
      },
    });
    await inspected.page.getByRole("option", { name: /weather/ }).waitFor();
  });
  afterAll(() => inspected?.close());

  test("says at the server how many messages break the specification", async () => {
    const { page } = inspected;
    await page.getByRole("link", { name: /^Its wire 4 warnings$/ }).click();
    await page.getByRole("button", { name: /^Warnings 4$/ }).click();
    await page.getByRole("listbox", { name: "Messages" }).getByRole("option").nth(3).waitFor();
  });

  test("shows what was printed to standard output in its place among the messages, with the rule", async () => {
    const { page } = inspected;
    await page.getByRole("option", { name: /Listening on stdio/ }).waitFor();
    const printed = page.getByRole("option", { name: /somebody lists my tools/ });
    await printed.waitFor();
    const box = await printed.locator(".entry-title").boundingBox();
    expect(box?.height).toBeLessThan(40);
    await printed.click();
    const message = page.getByRole("article");
    await message.getByRole("link", { name: /2025-06-18\/basic\/transports/ }).waitFor();
    await inspected.shot("printed");
    await inspected.expectSound();
  });

  test("tells wrong types of the server's description and of a schema", async () => {
    const { page } = inspected;
    const messages = page.getByRole("listbox", { name: "Messages" });
    await messages.getByRole("option", { name: /initialize/ }).click();
    await page.getByRole("article").getByText("serverInfo.version must be a string").waitFor();
    await messages.getByRole("option", { name: /tools\/list/ }).click();
    await page.getByRole("article").getByText("tools[1].inputSchema.type must be").waitFor();
  });

  test("does not call printed lines items that were left out of a list", async () => {
    const { page, servers } = inspected;
    await servers.getByRole("link", { name: /^Chatty/ }).click();
    await page.getByRole("option", { name: /weather/ }).waitFor();
    await page.getByText(/left out|with this list/).waitFor({ state: "hidden" });
  });

  test("names the server of a problem, with a way to the messages", async () => {
    const { page } = inspected;
    const bar = page.getByRole("contentinfo");
    await bar.getByRole("link", { name: /^Chatty: Skipped output/ }).click();
    await page.waitForURL(/#\/wire\?server=/);
    await page.goBack();
  });

  test("says why a program ended, and starts it again", async () => {
    const { page, servers } = inspected;
    await inspected.tool("crash");
    await inspected.run();
    await page.getByRole("alert").getByText("the database is gone").first().waitFor();
    await inspected.button("Connect again").click();
    await page.getByRole("option", { name: /weather/ }).waitFor();
    await servers.getByRole("link", { name: /^Chatty.+open/ }).waitFor();
    await inspected.tool("weather");
    await inspected.run();
    await page.getByRole("region", { name: "Result" }).getByText("warm").waitFor();
  });

  test("says that it waits for a decision, and runs what was agreed to without another one", async () => {
    const { page } = inspected;
    await inspected.go("#/connect?by=command");
    await page.getByLabel("Command", { exact: true }).fill(`${process.execPath} ${chatty}`);
    await inspected.button("Show what would run").click();
    await page.getByText("It waits for your decision").waitFor();
    await page.getByRole("button", { name: "Run it", exact: true }).click();
    await page.getByRole("option", { name: /weather/ }).waitFor();
    await inspected.go("#/connect?by=command");
    await inspected.button("Run it again").click();
    await page.getByRole("option", { name: /weather/ }).waitFor();
  });
});
