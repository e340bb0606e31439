import { createServer, RpcError } from "allspeak";
import { type Client, connect } from "allspeak/client";
import { afterEach, beforeEach, expect, test } from "vitest";

const secret = "db://user:password@host";
const upstream = createServer({ name: "upstream", version: "1.0.0" });
upstream.tool("query", {}, () => {
  throw new RpcError(-32_000, secret, { secret });
});

let inner: Client;
let outer: Client;
const log: unknown[] = [];

beforeEach(async () => {
  inner = await connect(upstream);
  const server = createServer({ name: "test", version: "1.0.0", log: ({ cause }) => log.push(cause) });
  const ask = async () => {
    await inner.tools.call("query");
    return "asked";
  };
  server.tool("ask", {}, ask);
  server.resource("test://ask", {}, ask);
  const args = { type: "object", properties: { word: { type: "string" } } };
  server.prompt("ask", { args, complete: { word: async () => [await ask()] } }, ask);
  server.mount("inner", inner);
  outer = await connect(server);
});

afterEach(async () => {
  await outer.close();
  await inner.close();
});

test("what another server answered to a tool does not reach the model", async () => {
  const { content } = await outer.tools.call("ask");
  expect(content).toEqual([{ type: "text", text: expect.stringMatching(/^Internal error \(ref \w+\)$/) }]);
  expect(String(log.at(-1))).toContain(secret);
});

test.each([
  ["a resource", () => outer.resources.read("test://ask")],
  ["a prompt", () => outer.prompts.get("ask")],
  ["a completion", () => outer.complete({ type: "ref/prompt", name: "ask" }, { name: "word", value: "" })],
])("nor to %s", async (_, request) => {
  await expect(request()).rejects.toMatchObject({
    data: undefined,
    message: expect.stringMatching(/^Internal error \(ref \w+\)$/),
  });
});

test("a mounted server speaks for itself", async () => {
  await expect(outer.tools.call("inner_query")).rejects.toMatchObject({ message: secret, data: { secret } });
});
