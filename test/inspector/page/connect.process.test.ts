import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createServer, tool } from "allspeak";
import { bearer } from "allspeak/auth";
import { type DevAuth, serveDevAuth } from "allspeak/auth/dev";
import { type HttpServerHandle, serveHttp } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InspectorPage, program } from "../support/chromium.ts";
import { expectCount } from "../support/expect-shown.ts";
import { createDemoServer } from "../support/server.ts";

const modules = fileURLToPath(new URL("../../cli/fixtures/", import.meta.url));

const newest = createServer({
  name: "newest",
  version: "1.0.0",
  revisions: ["2026-07-28"],
  tools: [tool("hello", {}, () => "hello from the newest revision")],
});

describe.skipIf(program === undefined)("the page, on every way to a server", () => {
  const cwd = mkdtempSync(join(tmpdir(), "as-"));
  let inspected: InspectorPage;
  let issuer: DevAuth;
  let secured: HttpServerHandle;
  let open: HttpServerHandle;

  beforeAll(async () => {
    issuer = await serveDevAuth({ autoApprove: true, scopes: ["read"], log: () => {} });
    secured = await serveHttp(createDemoServer(), { auth: bearer({ issuer: issuer.issuer }) });
    open = await serveHttp(newest);
    const shop = { command: process.execPath, args: ["dist/cli/bin.js", "serve", join(modules, "shop.mjs")] };
    const mcpServers = {
      shop: { ...shop, cwd: process.cwd(), env: { SHOP_KEY: "hidden-value" } },
      newest: { url: open.url },
      resting: { command: "resting", disabled: true },
    };
    writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers }));
    inspected = await InspectorPage.open({ cwd, env: {} });
  });
  afterAll(async () => {
    await inspected?.close();
    await Promise.all([secured?.close(), open?.close(), issuer?.close()]);
    rmSync(cwd, { recursive: true, force: true });
  });

  const questions = () => inspected.page.getByRole("complementary", { name: "Questions" });

  test("runs a module after a yes, and chooses one of its servers by the name of its export", async () => {
    const { page } = inspected;
    await inspected.go("#/connect?by=module");
    await page.getByLabel("Module", { exact: true }).fill(join(modules, "two-servers.mjs"));
    await page.getByLabel("Export", { exact: true }).fill("second");
    await inspected.button("Show what would run").click();
    await questions().getByText("two-servers.mjs").first().waitFor();
    await inspected.shot("module");
    await inspected.expectSound();
    await questions().getByRole("button", { name: "Run it", exact: true }).click();
    await inspected.servers.getByRole("link", { name: /^second.+open/ }).waitFor();
  });

  test("lists the servers of a file of a host, and connects to several of them", async () => {
    const { page } = inspected;
    await inspected.go("#/connect?by=configured");
    const file = page.getByRole("region", { name: "this folder" });
    const row = (name: string) => file.getByRole("listitem").filter({ hasText: name });
    await row("resting").getByText("disabled").waitFor();
    expect(await file.textContent()).not.toContain("hidden-value");
    await inspected.shot("configured");
    await inspected.expectSound();
    await row("shop").getByRole("button", { name: "Connect" }).click();
    await questions().getByText("SHOP_KEY").waitFor();
    await questions().getByRole("button", { name: "Run it", exact: true }).click();
    await page.getByRole("option", { name: /echo-arguments/ }).waitFor();

    await inspected.go("#/connect?by=configured");
    await row("newest").getByRole("button", { name: "Connect" }).click();
    await questions().getByText(open.url).first().waitFor();
    await questions().getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByRole("option", { name: /hello/ }).waitFor();
    await inspected.servers.getByRole("link", { name: /^shop.+open/ }).waitFor();
  });

  test("speaks to a server that knows only 2026-07-28, and says why another revision fails", async () => {
    const { page } = inspected;
    await inspected.servers.getByRole("link", { name: /^newest.+open.+2026-07-28/ }).click();
    await inspected.tool("hello");
    await inspected.run();
    await page.getByRole("region", { name: "Result" }).getByText("hello from the newest").waitFor();
    await page.getByRole("link", { name: "In five revisions" }).click();
    await inspected.button("Ask in each revision").click();
    const heads = page.locator(".revision-heads li");
    await expectCount(heads, 5);
    await expectCount(heads.filter({ hasText: "not spoken" }), 4);
    await page.getByText("Only 2026-07-28 answered.").waitFor();
    // Those that were made to ask, and failed, do not stand among the servers of the person.
    await expectCount(inspected.servers.getByRole("link", { name: /^2025/ }), 0);
    await inspected.shot("one-revision");
    await inspected.expectSound();

    await inspected.go("#/connect?by=url");
    await page.getByLabel("Address").fill(open.url);
    await page.getByText("Revision, transport", { exact: false }).click();
    await page.getByLabel("Revision").selectOption("2025-06-18");
    await inspected.button(/^Connect$/).click();
    await page.getByRole("alert").getByText("2026-07-28").first().waitFor();
    await inspected.button("Forget").first().click();
  });

  test("logs in with OAuth: the person opens the address, and each step is explained", async () => {
    const { page } = inspected;
    await inspected.go("#/connect?by=url");
    await page.getByLabel("Address").fill(secured.url);
    await inspected.button(/^Connect$/).click();
    await questions().getByText("The server wants a login at").waitFor();
    const hops = page.getByRole("region", { name: "Login" }).getByRole("listitem");
    await hops.filter({ hasText: "registration" }).waitFor();
    await inspected.shot("login");
    await inspected.expectSound();

    // Whatever connects meanwhile, the page stays where the person went.
    await inspected.go("#/revisions");
    await inspected.button("Ask in each revision").click();
    await page.locator(".revision-heads li").nth(4).waitFor();
    await questions().getByRole("button", { name: "Open…" }).click();
    const [tab] = await Promise.all([
      page.waitForEvent("popup"),
      questions()
        .getByRole("link", { name: /in a new tab$/ })
        .click(),
    ]);
    await tab.getByText("close this window").waitFor();
    await tab.close();
    await inspected.servers.getByRole("link", { name: /^demo.+open/ }).waitFor();
    await expectCount(questions(), 0);
    expect(inspected.place).toContain("#/revisions");

    await inspected.servers.getByRole("link", { name: /^demo/ }).click();
    await page.getByRole("link", { name: "About", exact: true }).click();
    await hops.filter({ hasText: "token" }).waitFor();
    await expectCount(hops.locator("strong.hop-step"), 6);
    const steps = await hops.locator("strong.hop-step").allTextContents();
    expect(steps).toEqual([
      "resource-metadata",
      "server-metadata",
      "registration",
      "authorization",
      "callback",
      "token",
    ]);
    await expectCount(hops.locator(".hop-meaning"), steps.length);
    await inspected.shot("login-steps");
    // The tab of the login is the only thing that was opened, and the person did it.
    expect(inspected.complaints.splice(0)).toEqual([expect.stringContaining("a tab was opened")]);
    await inspected.expectSound();
  });
});
