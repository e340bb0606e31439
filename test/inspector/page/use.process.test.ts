import { createServer, prompt, resource, type Server, tool } from "allspeak";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../package/paths.ts";
import { InspectorPage, program } from "../support/chromium.ts";
import { expectCount, expectValue, valueWith } from "../support/expect-shown.ts";
import { createDemoServer } from "../support/server.ts";
import { createShowServer } from "../support/show-server.ts";

/** A note that changes, for those who follow it. */
function createNotes(): Server {
  let text = "first words";
  const server = createServer({
    name: "notes",
    version: "1.0.0",
    resources: [resource("note://live", { name: "live" }, () => text)],
    tools: [
      tool("write", {}, () => {
        text = "second words";
        void server.resources.updated("note://live");
        return "written";
      }),
    ],
    prompts: [prompt("greet", { args: {}, complete: {} }, () => "Say hello.")],
  });
  return server;
}

describe.skipIf(program === undefined)("the page", () => {
  let inspected: InspectorPage;

  beforeAll(async () => {
    inspected = await InspectorPage.open({
      servers: {
        show: { target: createShowServer(), title: "The show", isFirst: true },
        demo: { target: createDemoServer(), title: "A demo" },
        notes: { target: createNotes(), title: "Notes" },
      },
      cwd: root,
    });
  });
  afterAll(() => inspected?.close());

  test("connects at once to the server that it was started for, and keeps the token out of the address", async () => {
    const { page } = inspected;
    await page.getByRole("option", { name: /book/ }).waitFor();
    expect(inspected.place).toMatch(/^#\/server\/\w+\/tools$/);
    await page.getByRole("link", { name: "About" }).click();
    await page.getByText("server/discover").first().waitFor();
    await inspected.shot("about");
    await inspected.expectSound();
  });

  test("makes a form of a schema, with the same value as JSON beside it", async () => {
    const { page } = inspected;
    await inspected.go(inspected.place.replace("about", "tools/book"));
    await page.getByLabel("Guest").fill("Ada");
    await page.getByLabel(/^seats/).fill("4");
    await page.getByLabel(/^table/).selectOption("garden");
    await page.getByLabel("Shape of contact").selectOption("By phone");
    await page.getByLabel(/^number/).fill("+49 30");
    await inspected.button("Add to menu").click();
    await page.getByLabel(/^title/).fill("soup");
    await page.getByLabel("nuts").check();
    await page
      .getByLabel(/^photo/)
      .setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("hi") });
    await page.getByLabel(/^pin/).fill("0000");
    await page.getByRole("radio", { name: "Both" }).click();
    const json = page.getByLabel("Arguments as JSON");
    // The file is read meanwhile.
    const value = JSON.parse(await valueWith(json, "aGk=", "0000"));
    expect(value).toEqual({
      name: "Ada",
      seats: 4,
      table: "garden",
      contact: { kind: "phone", number: "+49 30" },
      menu: [{ title: "soup" }],
      allergies: ["nuts"],
      photo: "aGk=",
      pin: "0000",
    });
    await json.fill(JSON.stringify({ ...value, name: "Grace" }));
    await expectValue(page.getByLabel("Guest"), "Grace");
    await inspected.shot("form");
    await inspected.expectSound();
  });

  test("runs it by a key, and remembers what was typed, but no secret", async () => {
    const { page } = inspected;
    await page.getByLabel("Guest").press("Control+Enter");
    await page.getByRole("region", { name: "Result" }).getByText("Grace").first().waitFor();
    const kept = await page.evaluate(() => JSON.stringify(localStorage));
    expect(kept).toContain("Grace");
    expect(kept + page.url()).not.toContain("0000");
  });

  test("opens a copied address in another tab, with the same tool and arguments", async () => {
    const address = inspected.page.url();
    const other = await inspected.page.context().newPage();
    await other.goto(address);
    await expectValue(other.getByLabel("Guest"), "Grace");
    await other.close();
  });

  test("shows text, Markdown, pictures, sounds, links and resources as people see them", async () => {
    const { page } = inspected;
    await inspected.tool("media");
    await inspected.run();
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("embedded words").waitFor();
    await expectCount(result.locator("strong", { hasText: "bold" }), 1);
    await result.getByRole("img").waitFor();
    expect(await result.getByRole("img").evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(
      1,
    );
    await expectCount(result.locator("audio"), 1);
    await expectCount(result.getByText("https://example.com/menu?week=1"), 1);
    await expectCount(result.locator("a[href^='https:']"), 0);
    const prices = result.getByRole("region", { name: "Text as a table" });
    await prices.getByRole("cell", { name: "Soup, hot" }).waitFor();
    await prices.getByRole("cell", { name: '5 "euro"' }).waitFor();
    await inspected.shot("result");
    await inspected.expectSound();
    await result.getByText("the menu of today").waitFor();
    await result.getByRole("link", { name: "Read it from the server" }).last().click();
    await page.getByRole("region", { name: "Contents" }).getByText("Soup and bread.").waitFor();
    await page.goBack();
    await result.getByText("embedded words").waitFor();
  });

  test("shows structured content as a table and a tree, checked against its schema", async () => {
    const { page } = inspected;
    await inspected.tool("guests");
    await inspected.run();
    await page.getByText("fits the output schema").waitFor();
    await expectCount(page.getByRole("cell", { name: "Grace" }), 1);
    await page.getByRole("radio", { name: "Tree" }).click();
    await page.getByText("list of 2").waitFor();
  });

  test("answers the questions of a server: a form, a model, folders", async () => {
    const { page } = inspected;
    await inspected.connect("A demo");
    await inspected.tool("book");
    await page.getByLabel(/^seats/).fill("2");
    await inspected.run();
    const questions = page.getByRole("complementary", { name: "Questions" });
    await questions.getByText("Book 2 seats?").waitFor();
    await inspected.shot("question");
    await inspected.expectSound();
    await questions.getByLabel(/^name/).fill("Ada");
    await questions.getByRole("button", { name: "Accept" }).click();
    await page.getByText("Booked for Ada.").waitFor();

    await inspected.tool("summarize");
    await page.getByLabel(/^text/).fill("a long story");
    await inspected.run();
    await questions.getByLabel("Reply of the model").fill("a short one");
    await questions.getByRole("button", { name: "Send the reply" }).click();
    await page.getByRole("region", { name: "Result" }).getByText("a short one").waitFor();

    await inspected.tool("folders");
    await inspected.run();
    await questions.getByRole("textbox").fill("/home/ada");
    await questions.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("region", { name: "Result" }).getByText("file:///home/ada").waitFor();
  });

  test("shows a call that goes on, gives it up, and lists what the server logged", async () => {
    const { page } = inspected;
    await inspected.tool("wait");
    await inspected.run();
    await page.getByRole("progressbar", { name: "Progress of wait" }).waitFor();
    await page.getByRole("status", { name: "Open calls" }).getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("note").getByText("The request was cancelled.").waitFor();
    await expectCount(page.getByRole("alert"), 0);
    const tools = inspected.place;
    await page.getByRole("link", { name: "Live" }).click();
    await page.getByLabel("Log level").selectOption("info");
    await inspected.go(tools);
    await inspected.tool("count");
    await inspected.run();
    await page.getByText("counted").waitFor();
    await page.getByRole("link", { name: "Live" }).click();
    await page.getByText('{"counted":3}').waitFor();
  });

  test("reads resources and templates with completion, gets prompts, and follows a resource live", async () => {
    const { page } = inspected;
    await page.getByRole("link", { name: "Resources" }).click();
    await page.getByRole("option", { name: /day/ }).first().click();
    await page.getByLabel("day").fill("m");
    await page.getByText("2 offered").waitFor();
    await page.getByLabel("day").fill("monday");
    await inspected.button("Read").first().click();
    await page.getByRole("region", { name: "Contents" }).getByText("monday", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Prompts" }).click();
    await page.getByRole("option", { name: /review/ }).click();
    await page.getByLabel("code").fill("x = 1");
    await inspected.button("Get the prompt").click();
    await page.getByText("Review x = 1").waitFor();

    await inspected.connect("Notes");
    const notes = inspected.place;
    await inspected.go(`${notes.replace("tools", "resources")}/${encodeURIComponent("note://live")}`);
    await page.getByText("first words").waitFor();
    await inspected.button("Follow changes").click();
    await inspected.button("Following").waitFor();
    const [first = "", id = ""] = /^#\/server\/(\w+)/.exec(notes) ?? [];
    const writing = await page.context().newPage();
    await writing.goto(page.url().replace(/#.*/, `${first}/tools/write`));
    await writing.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("second words").waitFor();
    await writing.close();
    expect(id).not.toBe("");
  });

  test("shows several servers beside each other, each at a place of its own", async () => {
    const { page } = inspected;
    const beside = page.getByLabel("Server beside this one");
    await beside.selectOption({ label: "beside The show" });
    await page.getByRole("region", { name: "The show" }).getByRole("option", { name: /book/ }).waitFor();
    await beside.selectOption({ label: "beside A demo" });
    const demo = page.getByRole("region", { name: "A demo" });
    await demo.getByRole("option", { name: /echo/ }).click();
    await demo.getByRole("heading", { name: "echo", exact: true }).waitFor();
    await expectCount(page.getByRole("navigation", { name: /Views of/ }), 3);
    await inspected.shot("side-by-side");
    await inspected.expectSound();
    await page.reload();
    await demo.getByRole("heading", { name: "echo", exact: true }).waitFor();
    await inspected.button("Hide The show").click();
    await expectCount(page.getByRole("navigation", { name: /Views of/ }), 2);
    await demo.getByRole("heading", { name: "echo", exact: true }).waitFor();
  });
});
