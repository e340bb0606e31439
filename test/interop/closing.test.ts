import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as TransportV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, test } from "vitest";
import { isAlive } from "./alive.ts";
import { fixture } from "./fixture.ts";

const info = { name: "official", version: "1.0.0" };
const server = { ...fixture("allspeak-server", "announce"), stderr: "pipe" } as const;

async function connectV1() {
  const client = new ClientV1(info);
  const transport = new TransportV1(server);
  await client.connect(transport);
  return { client, transport };
}

async function connectV2() {
  const client = new ClientV2(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const transport = new TransportV2(server);
  await client.connect(transport);
  return { client, transport };
}

test.each([
  ["v1", connectV1],
  ["v2", connectV2],
])("our server ends by itself when the official SDK %s client closes its input", async (_, connect) => {
  const { client, transport } = await connect();
  const { pid, stderr } = transport;
  if (pid === null || !(stderr instanceof Readable)) throw new Error("the server is not running");
  const said = text(stderr);
  await client.close();
  // No signal was needed: after two seconds the official clients send one.
  expect(await said).toBe("shutdown: connection-closed\n");
  expect(isAlive(pid)).toBe(false);
});
