import { createServer } from "allspeak";
import { expect, test } from "vitest";
import { openRaw, type RawClient } from "../support/raw-client.ts";

const many = `{"parts":[${"[],".repeat(1_000_001)}[]]}`;
const numbers = `{"numbers":[${"1,".repeat(5_000_001)}1]}`;
const deep = `{"list":${"[".repeat(2_000)}${"]".repeat(2_000)}}`;
const shapes = [
  ["many parts", many],
  ["many numbers", numbers],
  ["many levels", deep],
] as const;

async function open(reports: unknown[] = []): Promise<RawClient> {
  const log = (report: unknown) => void reports.push(report);
  const client = openRaw(createServer({ name: "test", version: "1.0.0", log }));
  await client.initialize();
  return client;
}

test.each(shapes)("a request with too %s is refused with its id, wherever that stands", async (_, params) => {
  const client = await open();
  client.say(`{"jsonrpc":"2.0","id":"first","method":"tools/call","params":${params}}`);
  client.say(`{"params":${params},"method":"tools/call","id":"last","jsonrpc":"2.0"}`);
  const refusal = { error: { code: -32600, message: expect.stringMatching(/more than|deeper than/) } };
  expect(await client.until(({ id }) => id === "first")).toMatchObject(refusal);
  expect(await client.until(({ id }) => id === "last")).toMatchObject(refusal);
});

test.each(shapes)("a request with too %s is refused without an id where it names two", async (_, params) => {
  const client = await open();
  client.say(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${params},"id":8}`);
  expect(await client.until((message) => "error" in message)).not.toHaveProperty("id");
});

test.each([
  ["notification", '"method":"notifications/anything","params"'],
  ["response", '"id":1,"result"'],
])("a %s with too many parts gets no answer", async (_, member) => {
  const reports: unknown[] = [];
  const client = await open(reports);
  const before = client.heard.length;
  client.say(`{"jsonrpc":"2.0",${member}:${many}}`);
  while (reports.length === 0) await client.settle();
  await client.ask("ping");
  expect(client.heard).toHaveLength(before + 1);
});
