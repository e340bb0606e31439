import { createServer, prompt, resource, tool } from "allspeak";
import { serveHttp } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { Queue } from "../../support/queue.ts";
import { InspectorPage, program } from "../support/chromium.ts";
import { expectCount, expectValue } from "../support/expect-shown.ts";

/** The number of times that the drawer was opened. */
let looks = 0;

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
    resources: [
      resource(
        "desk://{drawer}",
        { name: "drawer" },
        ({ drawer }) => `pencils of ${drawer}, seen ${++looks}`,
      ),
    ],
    prompts: [
      prompt("memo", { args: { topic: z.string(), apiKey: z.string() } }, ({ topic }) => `About ${topic}`),
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

  /** Goes to another view of the page, and back by the address. */
  async function leaveAndReturn(): Promise<void> {
    const { page } = inspected;
    const place = inspected.place;
    await inspected.go("#/connect");
    await page.getByRole("heading", { name: "Connect", exact: true }).waitFor();
    await inspected.go(place);
  }

  test("keeps what a prompt gave, and forgets the secret that was typed for it", async () => {
    const { page } = inspected;
    await page.getByRole("link", { name: "Prompts", exact: true }).click();
    await page.getByRole("option", { name: /memo/ }).click();
    await page.getByLabel("topic").fill("tidy desks");
    await page.getByLabel("apiKey").fill("hunter2");
    await page.getByLabel("apiKey").press("Control+Enter");
    const messages = page.getByRole("region", { name: "Messages" });
    await messages.getByText("About tidy desks").waitFor();
    await leaveAndReturn();
    await messages.getByText("About tidy desks").waitFor();
    await expectValue(page.getByLabel("topic"), "tidy desks");
    const stored = await page.evaluate(() => JSON.stringify(localStorage));
    expect(stored).toContain("tidy desks");
    expect(stored).not.toContain("hunter2");
  });

  test("keeps what a resource held, without reading it again", async () => {
    const { page } = inspected;
    await page.getByRole("link", { name: "Resources", exact: true }).click();
    await page.getByRole("option", { name: /drawer/ }).click();
    await page.getByLabel("drawer").fill("top");
    await inspected.button("Read").first().click();
    const contents = page.getByRole("region", { name: "Contents" });
    await contents.getByText("pencils of top, seen 1").waitFor();
    await leaveAndReturn();
    await contents.getByText("pencils of top, seen 1").waitFor();
    await inspected.button("Read again").click();
    await contents.getByText("pencils of top, seen 2").waitFor();
  });

  test("goes on following a resource after the page was loaded again", async () => {
    const { page } = inspected;
    await inspected.button("Follow changes").click();
    await inspected.button("Following").waitFor();
    await page.reload();
    await expectValue(page.getByLabel("drawer"), "top");
    await inspected.button("Read").first().click();
    await inspected.button("Following").click();
    await inspected.button("Follow changes").waitFor();
  });

  test("keeps the answer to a request that was written by hand", async () => {
    const { page } = inspected;
    await page.getByRole("link", { name: "Raw", exact: true }).click();
    await page.getByLabel("Method").fill("prompts/list");
    await page.getByLabel("Method").press("Control+Enter");
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText('"memo"').waitFor();
    await leaveAndReturn();
    await result.getByText('"memo"').waitFor();
    await expectValue(page.getByLabel("Method"), "prompts/list");
  });

  test("keeps the report of the doctor, the load test and the answers in each revision", async () => {
    const { page } = inspected;
    await inspected.go("#/judge");
    await inspected.button("Examine the server").click();
    const costs = page.getByRole("table", { name: "Tokens of each tool" });
    await costs.waitFor({ timeout: 15_000 });
    await leaveAndReturn();
    await costs.waitFor();

    await inspected.go("#/judge/load");
    await page.getByLabel("Do").selectOption("ping");
    await page.getByRole("spinbutton", { name: "Calls" }).fill("50");
    await inspected.button("Start").click();
    const histogram = page.getByRole("img", { name: /Histogram of latency/ });
    await histogram.waitFor();
    await leaveAndReturn();
    await histogram.waitFor();

    await inspected.go("#/revisions");
    await inspected.button("Ask in each revision").click();
    const heads = page.locator(".revision-heads li");
    await heads.nth(4).waitFor();
    await leaveAndReturn();
    await expectCount(heads, 5);
  });

  test("puts closed connections aside, and forgets them at a word", async () => {
    const { page } = inspected;
    const closed = page.getByText(/^\d+ closed connections$/);
    await closed.click();
    await inspected.expectSound();
    await inspected.button("Forget them").click();
    await closed.waitFor({ state: "detached" });
  });
});
