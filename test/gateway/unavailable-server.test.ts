// Tools of servers that never listed them, because they can't be started or used.
import { connect } from "allspeak/client";
import { type GatewayOptions, openGateway } from "allspeak/gateway";
import { expect, onTestFinished, test } from "vitest";
import { namedServer } from "../host/fixtures/servers.ts";

async function callOf(servers: NonNullable<GatewayOptions["servers"]>, tool: string) {
  const gateway = await openGateway({ servers, onProblem: () => {} });
  onTestFinished(() => gateway.close());
  const client = await connect(gateway.server);
  onTestFinished(() => client.close());
  return client.tools.call(tool);
}

const broken = { command: process.execPath, args: ["-e", "process.exit(3)"] };

test("a call to a server that never started says that it is not available", async () => {
  const { isError, content } = await callOf({ broken, good: namedServer("good", "read") }, "broken__read");
  expect(content).toEqual([{ type: "text", text: 'The server "broken" is not available.' }]);
  expect(isError).toBe(true);
});

test("a call to a server that is switched off says so", async () => {
  const { isError, content } = await callOf({ off: { ...broken, disabled: true } as never }, "off__read");
  expect(content).toEqual([{ type: "text", text: 'The server "off" is switched off.' }]);
  expect(isError).toBe(true);
});

test("a name that belongs to no server is an unknown tool", async () => {
  await expect(callOf({ broken }, "other__read")).rejects.toThrow("Unknown tool: other__read");
});
