import { createServer, resource, type Server, tool } from "allspeak";
import { serveHttp } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { InspectorPage, program } from "../support/chromium.ts";

/** Notes whose tool changes what a resource says. */
function createNotes(): Server {
  let text = "Bread.";
  let isFirst = true;
  const words = z.object({ text: z.string().min(1) });
  const server = createServer({
    name: "notes",
    version: "1.0.0",
    title: "Notes",
    resources: [resource("note://shopping", { name: "shopping" }, () => text)],
    tools: [
      tool("write", { input: words }, async (given) => {
        text = given.text;
        await server.resources.updated("note://shopping");
        return `Wrote ${text}`;
      }),
      tool("titles", { output: z.object({ titles: z.array(z.string()) }) }, () => ({ titles: ["shopping"] })),
      tool("degrees", { output: z.object({ degrees: z.any() }) }, () => {
        const degrees = isFirst ? "20" : 20;
        isFirst = false;
        return { degrees };
      }),
      tool(
        "contact",
        { input: { type: "object", anyOf: [{ required: ["phone"] }, { required: ["mail"] }] } as const },
        () => "noted",
      ),
    ],
  });
  return server;
}

describe.skipIf(program === undefined)("the page, for a person who has not seen it", () => {
  let inspected: InspectorPage;
  let running: Awaited<ReturnType<typeof serveHttp>>;

  beforeAll(async () => {
    running = await serveHttp(createNotes());
    inspected = await InspectorPage.open(
      {
        servers: {
          notes: { target: { url: running.url }, title: "Notes", isFirst: true },
          first: { target: createServer({ name: "first", version: "1.0.0" }), title: "First" },
          second: { target: createNotes(), title: "Second" },
        },
      },
      { viewport: { width: 1280, height: 860 } },
    );
    await inspected.page.getByRole("option", { name: /write/ }).waitFor();
  });
  afterAll(async () => {
    await inspected?.close();
    await running?.close();
  });

  test("leads from the revision to why it is spoken", async () => {
    const { page } = inspected;
    await page.getByRole("main").getByRole("link", { name: "2026-07-28" }).click();
    await page.getByText("Both sides speak 2026-07-28, the newest revision.").waitFor();
    await page.getByText("result of server/discover (2026-07-28, 2025-11-25").waitFor();
  });

  test("keeps the order of the servers when one is connected", async () => {
    const { servers } = inspected;
    await inspected.connect("Second");
    await servers.getByRole("link", { name: /^Second.+open/ }).waitFor();
    expect(await servers.getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringContaining("Notes"),
      expect.stringContaining("First"),
      expect.stringContaining("Second"),
      expect.stringContaining("Connect"),
    ]);
  });

  test("leads back to the tool that was chosen when the person comes back to a server", async () => {
    const { page, servers } = inspected;
    await inspected.tool("write");
    await servers.getByRole("link", { name: /^Notes/ }).click();
    await page.getByRole("region", { name: "Notes" }).getByRole("option", { name: /write/ }).waitFor();
    await servers.getByRole("link", { name: /^Second/ }).click();
    await page
      .getByRole("region", { name: "Second" })
      .getByRole("heading", { name: "write", exact: true })
      .waitFor();
  });

  test("follows a resource while the person uses a tool that changes it", async () => {
    const { page, servers } = inspected;
    await servers.getByRole("link", { name: /^Notes/ }).click();
    await page.getByRole("link", { name: "Resources", exact: true }).click();
    await page.getByRole("option", { name: /shopping/ }).click();
    const contents = page.getByRole("region", { name: "Contents" });
    await contents.getByText("Bread.").waitFor();
    await inspected.button("Follow changes").click();
    await inspected.button("Following").waitFor();
    await page.getByRole("link", { name: "Tools", exact: true }).click();
    await inspected.tool("write");
    await page.getByLabel(/^text/).fill("Milk.");
    await inspected.run();
    await page.getByRole("region", { name: "Result" }).getByText("Wrote Milk.").waitFor();
    await page.getByRole("link", { name: "Resources", exact: true }).click();
    await contents.getByText("Milk.").waitFor();
    await inspected.button("Following").click();
    await inspected.button("Follow changes").waitFor();
  });

  test("runs a form by Enter where all values fit, and says what is missing where not", async () => {
    const { page } = inspected;
    await page.getByRole("link", { name: "Tools", exact: true }).click();
    const field = page.getByLabel(/^text/);
    await field.fill("Honey.");
    await field.press("Enter");
    await page.getByRole("region", { name: "Result" }).getByText("Wrote Honey.").waitFor();
    await field.fill("");
    await field.press("Enter");
    await page.getByText("was not sent").waitFor();
    await page.getByRole("region", { name: "Result" }).getByText("Wrote Honey.").waitFor();
  });

  test("keeps the name of the list that a table shows", async () => {
    const { page } = inspected;
    await inspected.tool("titles");
    await inspected.run();
    await page.getByRole("columnheader", { name: "titles" }).waitFor();
    await page.getByRole("cell", { name: "shopping" }).waitFor();
  });

  test("shows the schema where it makes no form", async () => {
    const { page } = inspected;
    await inspected.tool("contact");
    await page.getByText('"anyOf"').waitFor();
  });

  test("finds an answer by the name of what was asked for, and marks no other message as chosen", async () => {
    const { page } = inspected;
    await inspected.go("#/wire?q=tools%2Fcall+write&kind=response");
    const messages = page.getByRole("listbox", { name: "Messages" });
    await messages.getByRole("option").nth(1).waitFor();
    await messages.getByRole("option").first().click();
    await messages.getByRole("option", { selected: true }).waitFor();
    await page
      .getByRole("article")
      .getByRole("button", { name: /^its request/ })
      .click();
    await page.getByRole("article").getByText("request", { exact: true }).waitFor();
    await messages.getByRole("option", { selected: true }).waitFor({ state: "hidden" });
  });

  test("says which server a message belongs to, beside an open message, too", async () => {
    const { page } = inspected;
    await inspected.go("#/wire");
    const rows = page.getByRole("listbox", { name: "Messages" }).getByRole("option");
    await rows.first().click();
    await page.getByRole("article").getByRole("link", { name: "Notes" }).waitFor();
    await rows.first().getByText("Notes").waitFor();
  });

  test("says that nothing breaks the specification, and takes filters out", async () => {
    const { page } = inspected;
    await inspected.go("#/wire?warnings=1");
    await page.getByText("No message breaks the specification").waitFor();
    await inspected.button("Take out all filters").click();
    await page.getByRole("listbox", { name: "Messages" }).getByRole("option").first().waitFor();
  });

  test("gives servers of one name different names", async () => {
    const { page, servers } = inspected;
    await inspected.go("#/connect");
    await page.getByLabel("Address").fill(running.url);
    await inspected.button(/^Connect$/).click();
    await servers.getByRole("link", { name: /^Notes 2.+open/ }).waitFor();
    await page.getByRole("heading", { name: "Notes 2" }).waitFor();
  });

  test("keeps the names of servers that stand beside each other", async () => {
    const { page } = inspected;
    await page.getByLabel("Server beside this one").selectOption({ label: "beside Second" });
    await page.getByRole("region", { name: "Second" }).getByRole("option", { name: /write/ }).waitFor();
    const name = page.getByRole("region", { name: "Notes 2" }).getByRole("heading", { level: 1 });
    await name.waitFor();
    const box = await name.boundingBox();
    expect(box?.width).toBeGreaterThan(60);
    await inspected.shot("beside-small");
    await inspected.expectSound();
  });

  test("tells a number from a text of digits where a replay differs", async () => {
    const { page, servers } = inspected;
    await servers.getByRole("link", { name: /^Second/ }).click();
    // The other server beside it goes.
    await page.getByRole("region", { name: "Notes" }).waitFor({ state: "detached" });
    await inspected.tool("degrees");
    await inspected.run();
    await page.getByText("fits the output schema").waitFor();
    await inspected.go("#/recordings");
    await page.getByRole("combobox", { name: /^Record/ }).selectOption({ label: "Second" });
    await inspected.button("Save what was said so far").click();
    await page.getByLabel("Replay it against").selectOption({ label: "Second" });
    await inspected.button("Replay").click();
    const replay = page.getByRole("region", { name: "Replay" });
    await replay.getByRole("cell", { name: '"20"', exact: true }).waitFor();
    await replay.getByRole("cell", { name: "20", exact: true }).waitFor();
  });

  test("says with which revision the others are compared", async () => {
    const { page } = inspected;
    await inspected.go("#/revisions");
    await inspected.button("Ask in each revision").click();
    const heads = page.locator(".revision-heads li");
    await heads.nth(4).getByText("compared with this").waitFor();
  });
});
