import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, test } from "vitest";
import { InspectorPage, program } from "../support/chromium.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../../interop/fixtures/${name}`, import.meta.url));
const everything = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);
const run = (...args: string[]) => ({ command: process.execPath, args });

describe.skipIf(program === undefined)("the page, with servers that others made", () => {
  let inspected: InspectorPage;

  beforeAll(async () => {
    inspected = await InspectorPage.open({
      servers: {
        everything: { target: run(everything, "stdio"), title: "Everything" },
        v1: { target: run(fixture("official-v1-server.mjs")), title: "SDK v1" },
        v2: { target: run(fixture("official-v2-server.mjs")), title: "SDK v2" },
      },
    });
  });
  afterAll(() => inspected?.close());

  const result = () => inspected.page.getByRole("region", { name: "Result" });

  test("uses server-everything: a form, structured content, a picture, progress, a resource, a prompt", async () => {
    const { page } = inspected;
    await inspected.connect("Everything");
    await inspected.tool("echo");
    await page.getByLabel(/^message/).fill("good day");
    await inspected.run();
    await result().getByText("good day").waitFor();
    await inspected.tool("get-structured-content");
    await page.getByLabel(/^location/).selectOption("Chicago");
    await inspected.run();
    await result().getByText("fits the output schema").waitFor();
    await inspected.shot("everything");
    await inspected.expectSound();
    await inspected.tool("get-tiny-image");
    await inspected.run();
    await result().getByRole("img").first().waitFor();
    await inspected.tool("trigger-long-running-operation");
    await page.getByLabel(/^duration/).fill("1");
    await page.getByLabel(/^steps/).fill("2");
    await inspected.run();
    await result()
      .getByText(/Long running operation completed/)
      .waitFor();

    await page.getByRole("link", { name: "Resources", exact: true }).click();
    await page.getByRole("option").last().click();
    await page.getByRole("region", { name: "Contents" }).waitFor();
    await page.getByRole("link", { name: "Prompts", exact: true }).click();
    await page.getByRole("option", { name: /simple/i }).click();
    await inspected.button("Get the prompt").click();
    await page.getByRole("region", { name: "Messages" }).waitFor();
    await inspected.expectSound();
  });

  test.each([
    ["SDK v1", "2025-11-25"],
    ["SDK v2", "2026-07-28"],
  ])("uses a server of the official %s", async (title, revision) => {
    const { page } = inspected;
    await inspected.connect(title);
    await inspected.servers.getByRole("link", { name: new RegExp(`^${title}.+open.+${revision}`) }).waitFor();
    await inspected.tool("add");
    await page.getByLabel(/^a /).fill("2");
    await page.getByLabel(/^b /).fill("40");
    await inspected.run();
    await result().getByText("42").first().waitFor();
    await result().getByText("fits the output schema").waitFor();
    await inspected.tool("fail");
    await inspected.run();
    await result().getByText("tool error").waitFor();
    await inspected.go("#/wire?warnings=1");
    await page.getByText("No message breaks the specification").waitFor();
    await inspected.expectSound();
  });
});
