// Servers that are not ours, as a person would use them on the page.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openPage } from "../support/page.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../../interop/fixtures/${name}`, import.meta.url));
const everything = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);

test.each([
  ["server-everything", [everything, "stdio"], "2025-11-25", "echo"],
  ["the official SDK v1", [fixture("official-v1-server.mjs")], "2025-11-25", undefined],
  ["the official SDK v2", [fixture("official-v2-server.mjs")], "2026-07-28", undefined],
])("the page lists and calls tools of %s, without a warning", async (_, args, revision, name) => {
  const { page } = await openPage({ servers: { theirs: { target: { command: process.execPath, args } } } });
  const { connection } = await page.send("connect", { target: { kind: "offered", name: "theirs" } });
  expect(connection).toMatchObject({ state: "open", revision, transport: "stdio" });
  const { items } = await page.send("list-tools", { connection: connection.id });
  const tool = items.find((item) => item.name === (name ?? items[0]?.name));
  const answer = await page.send("call-tool", {
    connection: connection.id,
    name: tool?.name ?? "",
    arguments: { message: "hello" },
  });
  expect(answer.result.content).not.toEqual([]);
  const warned = await page.send("read-wire", { filter: { hasWarnings: true }, from: 0, count: 10 });
  expect(warned.entries).toEqual([]);
});
