import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openPage } from "../support/page.ts";

test("a module runs in a process of its own, after the person has agreed", async () => {
  const cwd = fileURLToPath(new URL("../../cli/fixtures", import.meta.url));
  const { page } = await openPage({ cwd });
  const connecting = page.send("connect", { target: { kind: "module", path: "shop.mjs" } });
  const { question } = await page.next("question");
  expect(question).toMatchObject({ kind: "run", run: { kind: "module", path: `${cwd}/shop.mjs` } });
  await page.send("answer", { question: question.id, answer: { kind: "decide", isAllowed: true } });
  expect(await connecting).toMatchObject({ connection: { state: "open", transport: "stdio" } });
});
