import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InspectorPage, program } from "../support/chromium.ts";
import { expectCount } from "../support/expect-shown.ts";
import { startHostileServer } from "../support/hostile-server.ts";

describe.skipIf(program === undefined)("the page with a hostile server", () => {
  let inspected: InspectorPage;
  let hostile: Awaited<ReturnType<typeof startHostileServer>>;

  beforeAll(async () => {
    hostile = await startHostileServer();
    inspected = await InspectorPage.open({});
  });
  afterAll(async () => {
    await inspected?.close();
    await hostile?.close();
  });

  const wasHit = () => inspected.page.evaluate(() => "wasHit" in globalThis);

  test("connects by its address, and shows markup as text", async () => {
    const { page } = inspected;
    await page.getByLabel("Address").fill(hostile.url);
    await page.getByLabel("Address").press("Enter");
    await inspected.tool("poison");
    await page.getByText("window.wasHit=1").first().waitFor();
    await expectCount(page.locator("main img, main script, main iframe"), 0);
    expect(await wasHit()).toBe(false);
  });

  test("shows a poisoned result without running, loading or opening anything of it", async () => {
    const { page } = inspected;
    await inspected.run();
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("image, not loaded").first().waitFor();
    await expectCount(page.locator("main img, a[href^='javascript:'], a[href*='evil']"), 0);
    await inspected.shot("hostile");
    expect(await wasHit()).toBe(false);
    await inspected.expectSound();
  });

  test("opens an address of a server only after two decisions, and shows it whole before", async () => {
    const { page } = inspected;
    const open = page.getByRole("button", { name: "Open…" }).first();
    await open.click();
    const link = page.getByRole("link", { name: /Open evil\.example/ });
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(inspected.complaints).toEqual([]);
  });

  test("stays quick with a schema bomb: the form has an end, and the pattern is never run", async () => {
    const { page } = inspected;
    await inspected.tool("bomb");
    await page
      .getByLabel(/^endless|field-0/)
      .first()
      .waitFor();
    expect(await page.locator(".field").count()).toBeLessThan(200);
    await inspected.button(/Show .* more fields/).click();
    await inspected.run();
    await page
      .getByRole("alert")
      .or(page.getByRole("region", { name: "Result" }))
      .first()
      .waitFor();
    expect(inspected.complaints).toEqual([]);
  });

  test("shows a message of 10,000 levels, and a result of 6 MB", async () => {
    const { page } = inspected;
    await inspected.tool("deep");
    await inspected.run();
    await page.getByRole("alert").getByText("nested").first().waitFor();
    const tool = inspected.place;
    await inspected.go("#/wire?kind=invalid");
    await page.getByRole("listbox").getByRole("option").first().click();
    const message = page.getByRole("article", { name: /^Message/ });
    await message.getByText("more levels than can be indented").waitFor();
    for (const look of ["Raw", "Understood", "Pretty"]) await page.getByRole("radio", { name: look }).click();
    expect(await page.evaluate(() => document.body.textContent?.length)).toBeLessThan(100_000);
    await inspected.go(tool);
    await inspected.tool("huge");
    await inspected.run();
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText(/^x{1000,}/).waitFor();
    expect(await page.evaluate(() => document.body.textContent?.length)).toBeLessThan(1_000_000);
    expect(inspected.complaints).toEqual([]);
  });

  test("masks secrets of HTTP, and warns where the server breaks the specification", async () => {
    const { page } = inspected;
    await inspected.go("#/wire?warnings=1");
    await page.getByRole("listbox").getByRole("option").first().click();
    await page.getByText("The rule:").first().waitFor();
    await inspected.shot("wire-warning");
    await page.getByRole("radio", { name: "HTTP" }).click();
    const http = page.getByRole("region", { name: "HTTP" });
    await http.getByText("set-cookie").waitFor();
    expect(await http.textContent()).not.toContain("secret=1");
    await inspected.expectSound();
  });

  test("serves no page to another host or origin, and allows no script but its own", async () => {
    const response = await inspected.page.request.get(inspected.inspector.url.replace(/#.*/, ""));
    expect(response.headers()["content-security-policy"]).toMatch(/script-src 'self'; style-src 'self'/);
    const foreign = await inspected.page.request.get(inspected.inspector.url.replace(/#.*/, ""), {
      headers: { host: "evil.example" },
    });
    expect(foreign.status()).toBe(403);
  });
});
