// Tools of servers that never listed them, because they can't be started or used.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "allspeak/client";
import { type GatewayOptions, openGateway } from "allspeak/gateway";
import { expect, onTestFinished, test } from "vitest";
import { namedServer, plainEntry } from "../host/fixtures/servers.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

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

test("why callers can't be connected is reported once, although the lists are read, and then that they can be", async () => {
  const marker = join(createTemporaryFolder(), "one-at-a-time");
  const { command, args } = plainEntry("read");
  const script = `const fs = require("fs"); const marker = ${JSON.stringify(marker)};
    if (fs.existsSync(marker)) process.exit(3);
    fs.writeFileSync(marker, ""); process.argv.splice(1, 0, ""); import(${JSON.stringify(args[0])});`;
  const reports: string[] = [];
  const gateway = await openGateway({
    servers: { sick: { command, args: ["-e", script, ...args.slice(1)] } },
    onProblem: ({ message }, server) => void reports.push(`${server}: ${message}`),
    onRecovered: (server) => void reports.push(`${server} is back`),
  });
  onTestFinished(() => gateway.close());
  const client = await connect(gateway.server);
  onTestFinished(() => client.close());
  const away = expect.stringMatching(/^sick: The server "sick" is not available: .* exited with code 3/);
  await client.tools.list().all();
  for (const _ of [1, 2]) expect(await client.tools.call("sick__read")).toMatchObject({ isError: true });
  expect(reports).toEqual([away]);
  rmSync(marker);
  expect(await client.tools.call("sick__read")).not.toMatchObject({ isError: true });
  expect(reports).toEqual([away, "sick is back"]);
});

test("why a server is not available is reported once, and then that it is available again", async () => {
  const marker = join(createTemporaryFolder(), "works");
  const { command, args } = plainEntry("read");
  const script = `if (!require("fs").existsSync(${JSON.stringify(marker)})) process.exit(3);
    process.argv.splice(1, 0, ""); import(${JSON.stringify(args[0])});`;
  const reports: string[] = [];
  const gateway = await openGateway({
    servers: { sick: { command, args: ["-e", script, ...args.slice(1)] } },
    onProblem: ({ message }, server) => void reports.push(`${server}: ${message}`),
    onRecovered: (server) => void reports.push(`${server} is back`),
  });
  onTestFinished(() => gateway.close());
  const client = await connect(gateway.server);
  onTestFinished(() => client.close());
  const visit = async () => {
    await client.tools.list().all();
    await client.prompts.list().all();
    await client.resources.list().all();
    await client.resources.templates().all();
    await client.tools.call("sick__read").catch(() => {});
  };
  const restart = () => gateway.servers[0]?.restart();
  const away = expect.stringMatching(/^sick: The server "sick" is not available: .* exited with code 3/);
  await visit();
  await restart();
  await visit();
  expect(reports).toEqual([away]);
  writeFileSync(marker, "");
  await restart();
  await visit();
  expect(reports).toEqual([away, "sick is back"]);
});
