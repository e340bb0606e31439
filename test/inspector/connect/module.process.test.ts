import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startProgram } from "../../cli/support/program.ts";
import { openPage, Page, tokenOf } from "../support/page.ts";

test("a module runs in a process of its own, after the person has agreed", async () => {
  const cwd = fileURLToPath(new URL("../../cli/fixtures", import.meta.url));
  const { page } = await openPage({ cwd });
  const connecting = page.send("connect", { target: { kind: "module", path: "shop.mjs" } });
  const { question } = await page.next("question");
  expect(question).toMatchObject({ kind: "run", run: { kind: "module", path: `${cwd}/shop.mjs` } });
  await page.send("answer", { question: question.id, answer: { kind: "decide", isAllowed: true } });
  expect(await connecting).toMatchObject({ connection: { state: "open", transport: "stdio" } });
});

test("`allspeak inspect --export` offers that server of the module", async () => {
  const program = startProgram(["inspect", "./two-servers.mjs", "--export", "second", "--json"]);
  const [, url = ""] = await program.shows("stdout", /"url": "(.+)"/);
  const page = await Page.connect(url);
  await page.send("open-session", { token: tokenOf(url) });
  const target = { kind: "offered", name: "./two-servers.mjs" } as const;
  const { connection } = await page.send("connect", { target });
  expect(connection).toMatchObject({ state: "open", server: { info: { name: "second" } } });
  program.child.kill("SIGINT");
  expect(await program.ended).toBe(130);
});
