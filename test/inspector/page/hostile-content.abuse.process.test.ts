import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InspectorPage, program } from "../support/chromium.ts";
import { startHostileServer } from "../support/hostile-server.ts";

/** The longest time that the page may stand still. */
const maxStillMs = 3_000;

describe.skipIf(program === undefined)("the page with hostile contents", () => {
  let inspected: InspectorPage;
  let hostile: Awaited<ReturnType<typeof startHostileServer>>;

  beforeAll(async () => {
    hostile = await startHostileServer();
    inspected = await InspectorPage.open({});
    const { page } = inspected;
    await page.getByLabel("Address").fill(hostile.url);
    await page.getByLabel("Address").press("Enter");
    await inspected.tool("poison");
  });
  afterAll(async () => {
    await inspected?.close();
    await hostile?.close();
  });

  const result = () => inspected.page.getByRole("region", { name: "Result" });

  /** The time until the page has drawn something anew. */
  const drawMs = () =>
    inspected.page.evaluate(async () => {
      const begin = performance.now();
      for (let frame = 0; frame < 3; frame++) await new Promise((drawn) => requestAnimationFrame(drawn));
      return performance.now() - begin;
    });

  test.each(["nesting", "links", "cells", "drawing"])("stays quick with the result of %s", async (name) => {
    await inspected.tool(name);
    await inspected.run();
    const begin = performance.now();
    await result().locator(".text-view, .media, [role=alert]").first().waitFor();
    await drawMs();
    expect(performance.now() - begin).toBeLessThan(maxStillMs);
    expect(inspected.complaints).toEqual([]);
  });

  test("shows a choice that contains itself", async () => {
    await inspected.tool("circular");
    await inspected.page.getByLabel("Shape of choice").waitFor();
    await inspected.run();
    expect(inspected.complaints).toEqual([]);
  });

  test("sends members with the names of inherited ones only when they are filled in", async () => {
    const { page } = inspected;
    await inspected.tool("inherited");
    await inspected.run();
    await page.getByText("This is required.").waitFor();
    await page.getByLabel(/^constructor/).fill("mine");
    await page.getByLabel(/^__proto__/).fill("too");
    await inspected.run();
    await result().getByText('"too"').waitFor();
    const shown = await result().getByRole("region", { name: "Text as JSON" }).textContent();
    expect(Object.entries(JSON.parse(shown ?? "").arguments)).toEqual([
      ["constructor", "mine"],
      ["__proto__", "too"],
    ]);
  });

  test("shows a table without inherited members", async () => {
    await inspected.tool("rows");
    await inspected.run();
    await result().getByRole("cell", { name: "mine" }).waitFor();
    expect(await result().textContent()).not.toContain("native code");
  });

  test("marks the host of an address, not a user before it that looks like one", async () => {
    await inspected.tool("address");
    await inspected.run();
    expect(await result().locator(".url strong").textContent()).toBe("e.co");
  });

  test("shows the characters of a name that reorder it", async () => {
    await inspected.page.getByRole("option", { name: /reversed\\u\{202e\}gnp\.exe\\u\{7\}/ }).click();
    await inspected.page.getByRole("heading", { name: /^reversed\\u\{202e\}gnp/ }).waitFor();
  });
});
