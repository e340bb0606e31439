import { serveHttp } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../package/paths.ts";
import { InspectorPage, program } from "../support/chromium.ts";
import { expectCount } from "../support/expect-shown.ts";
import { createDemoServer } from "../support/server.ts";

describe.skipIf(program === undefined)("the page, over the wire", () => {
  let inspected: InspectorPage;
  let running: Awaited<ReturnType<typeof serveHttp>>;

  beforeAll(async () => {
    running = await serveHttp(createDemoServer());
    inspected = await InspectorPage.open({
      cwd: root,
      servers: { demo: { target: { url: running.url }, title: "Demo" } },
    });
  });
  afterAll(async () => {
    await inspected?.close();
    await running?.close();
  });

  test("connects in a revision that the person chose, and shows each message of it", async () => {
    const { page } = inspected;
    await page.getByText("Revision, transport").click();
    await page.getByRole("combobox", { name: "Revision" }).selectOption("2025-06-18");
    await page.getByLabel("Address").fill(running.url);
    await inspected.button(/^Connect$/).click();
    await inspected.tool("add");
    await page.getByLabel(/^a /).fill("2");
    await page.getByLabel(/^b /).fill("3");
    await inspected.run();
    await page.getByText("fits the output schema").waitFor();
    await page.getByRole("link", { name: "On the wire" }).click();
    await page
      .getByRole("option", { name: /tools\/call add/ })
      .first()
      .click();
    await page.getByRole("article").getByText('"arguments"').waitFor();
    expect(inspected.place).toMatch(/message=\d+/);
  });

  test("shows a message raw, with the HTTP around it, and as the library understood it", async () => {
    const { page } = inspected;
    await page.getByRole("radio", { name: "Raw" }).click();
    await page.getByText('{"jsonrpc":"2.0"').waitFor();
    await page.getByRole("radio", { name: "HTTP" }).click();
    await page.getByRole("rowheader", { name: "mcp-protocol-version" }).waitFor();
    await page.getByRole("radio", { name: "Understood" }).click();
    await page.getByRole("cell", { name: "2025-06-18" }).waitFor();
    await inspected.expectSound();
  });

  test("finds messages by words, kind and direction, and all of it is in the address", async () => {
    const { page } = inspected;
    await inspected.go("#/wire");
    await page.getByRole("searchbox", { name: "Search the wire" }).fill("clientInfo");
    await page.waitForURL(/q=clientInfo/);
    await page.getByRole("option", { name: /initialize/ }).waitFor();
    await expectCount(page.getByRole("listbox").getByRole("option"), 1);
    await page.getByRole("searchbox", { name: "Search the wire" }).fill("");
    await page.getByLabel("Kind").selectOption("notification");
    await page.getByRole("option", { name: /notifications\/initialized/ }).waitFor();
    expect(inspected.place).toContain("kind=notification");
    await page.getByLabel("Kind").selectOption("");
  });

  test("draws a sequence diagram and a waterfall", async () => {
    const { page } = inspected;
    await page.getByRole("radio", { name: "Sequence" }).click();
    await page.locator(".arrow.sent").first().waitFor();
    await page.locator(".lifelines rect").first().waitFor({ state: "attached" });
    await inspected.shot("sequence");
    await inspected.expectSound();
    await page.getByRole("radio", { name: "Waterfall" }).click();
    await page.getByRole("option", { name: /tools\/call add/ }).click();
    await page.getByRole("article").waitFor();
    await inspected.shot("waterfall");
  });

  test("runs a program only after the person has seen it whole", async () => {
    const { page } = inspected;
    await inspected.go("#/connect?by=command");
    const command = "node node_modules/@modelcontextprotocol/server-everything/dist/index.js stdio";
    await page.getByLabel("Command", { exact: true }).fill(command);
    await inspected.button("Show what would run").click();
    const question = page.getByRole("complementary", { name: "Questions" });
    await question.locator("pre", { hasText: "server-everything/dist/index.js" }).waitFor();
    await inspected.shot("run-question");
    await inspected.expectSound();
    await question.getByRole("button", { name: "Run it", exact: true }).click();
    await inspected.tool("echo");
    await page.getByLabel(/^message/).fill("hello there");
    await inspected.run();
    await page.getByRole("region", { name: "Result" }).getByText("Echo: hello there").waitFor();
  });

  test("goes everywhere by keys, on a small screen, in the dark", async () => {
    const { page } = inspected;
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("body").press("g");
    await page.locator("body").press("t");
    await page.waitForURL(/tools/);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(360);
    await inspected.shot("small-dark");
    await inspected.expectSound();
    await page.locator("body").press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor({ state: "hidden" });
    await page.setViewportSize({ width: 3840, height: 2160 });
    await inspected.shot("4k-dark");
  });
});
