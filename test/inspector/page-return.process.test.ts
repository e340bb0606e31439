import { createServer, tool } from "allspeak";
import { serveHttp } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Queue } from "../support/queue.ts";
import { InspectorPage, program } from "./support/chromium.ts";

/** Words with which the tool `slow` ends, one for each call. */
const words = new Queue<string>();

function createOffice() {
  return createServer({
    name: "office",
    version: "1.0.0",
    tools: [
      tool("slow", {}, async (_, ctx) => {
        await ctx.progress(1, 4, "sorting");
        return words.next();
      }),
      tool("team", {}, (_, ctx) => `team ${ctx.http?.headers.get("x-team") ?? "unknown"}`),
      tool("print", { task: "required", pollIntervalMs: 20 }, () => "printed"),
    ],
  });
}

describe.skipIf(program === undefined)("the page, for those who come and go", () => {
  let inspected: InspectorPage;
  let running: Awaited<ReturnType<typeof serveHttp>>;

  beforeAll(async () => {
    running = await serveHttp(createOffice());
    inspected = await InspectorPage.open({}, { viewport: { width: 1280, height: 800 } });
  });
  afterAll(async () => {
    await inspected?.close();
    await running?.close();
  });

  test("sends a header that was typed and not added", async () => {
    const { page } = inspected;
    await page.getByLabel("Address").fill(running.url);
    await page.getByText("Headers", { exact: true }).click();
    await page.getByLabel("Header", { exact: true }).fill("x-team");
    await page.getByLabel("Value of the new header").fill("blue");
    await inspected.button(/^Connect$/).click();
    await inspected.tool("team");
    await inspected.run();
    await page.getByRole("region", { name: "Result" }).getByText("team blue").waitFor();
  });

  test("keeps the progress of a call, and then its result, for a person who leaves and returns", async () => {
    const { page } = inspected;
    const result = page.getByRole("region", { name: "Result" });
    await inspected.tool("slow");
    await inspected.run();
    await result.getByText("sorting").waitFor();
    await page.getByRole("link", { name: "Live" }).click();
    await page.getByRole("link", { name: "Tools", exact: true }).click();
    await result.getByText("sorting").waitFor();
    await page.goBack();
    const ended = page.getByRole("progressbar", { name: "Progress of slow" }).waitFor({ state: "detached" });
    words.push("sorted at last");
    await ended;
    await page.getByRole("link", { name: "Tools", exact: true }).click();
    await result.getByText("sorted at last").waitFor();
    expect(inspected.place).toMatch(/tools\/slow$/);
  });

  test("looks up a task by its id, and shows its result", async () => {
    const { page } = inspected;
    await inspected.tool("print");
    await inspected.run();
    await page.getByRole("region", { name: "Result" }).getByText("printed").waitFor();
    await page.getByRole("link", { name: "Tasks", exact: true }).click();
    const id = await page.getByRole("main").getByRole("listitem").locator("code").first().textContent();
    await page.getByLabel("Id of a task").fill(id ?? "");
    await inspected.button("Look it up").click();
    await inspected.button("Await its result").click();
    await page.getByRole("region", { name: "Result" }).getByText("printed").waitFor();
    await page.getByLabel("Id of a task").fill("unknown-task");
    await inspected.button("Look it up").click();
    await page.getByRole("alert").waitFor();
    await inspected.expectSound();
  });
});
