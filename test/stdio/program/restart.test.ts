import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { type Client, type ConnectOptions, connect, type StdioCommand } from "../../../src/client.ts";
import { ConnectionClosedError, ProcessError } from "../../../src/errors.ts";
import { failure } from "../../support/open-client.ts";

const path = fileURLToPath(new URL("../fixtures/mortal-server.mjs", import.meta.url));

async function open(
  revision: string,
  options: ConnectOptions & Pick<StdioCommand, "restart"> = {},
): Promise<{ client: Client; problems: Error[] }> {
  const { restart, ...others } = options;
  const problems: Error[] = [];
  const command = { command: process.execPath, args: [path, revision], restart };
  const client = await connect(command, { onProblem: (problem) => problems.push(problem), ...others });
  onTestFinished(() => client.close());
  return { client, problems };
}

const pidOf = async (client: Client) => (await client.tools.call("pid")).content;

test("a program of 2026-07-28 that died is started again for the next call, and the host is told", async () => {
  let reconnections = 0;
  const { client, problems } = await open("2026-07-28", { onReconnected: () => reconnections++ });
  const before = await pidOf(client);
  expect(await failure(client.tools.call("die"))).toMatchObject({ code: "process", exitCode: 3 });
  expect(reconnections).toBe(0);
  expect(await Promise.all([pidOf(client), client.tools.list().all()])).not.toEqual([before, []]);
  expect(reconnections).toBe(1);
  expect(problems).toEqual([
    expect.objectContaining({ code: "process", message: expect.stringContaining("started again") }),
  ]);
});

test("a call that may be repeated is sent again to the next process", async () => {
  const { client } = await open("2026-07-28");
  const before = await pidOf(client);
  const dying = failure(client.tools.call("die"));
  expect(await client.tools.list().all()).toEqual([]);
  expect(await dying).toBeInstanceOf(ProcessError);
  expect(await pidOf(client)).not.toEqual(before);
});

test("a subscription goes on in the next process", async () => {
  const { client } = await open("2026-07-28");
  let changes = 0;
  let hear = () => {};
  const heardAgain = new Promise<void>((resolve) => {
    hear = resolve;
  });
  const subscription = await client.subscribe({ tools: true }, () => {
    if (++changes === 2) hear();
  });
  await failure(client.tools.call("die"));
  await heardAgain;
  await subscription.close();
});

test.each([
  ["of an older revision", "2025-11-25", undefined],
  ["that is not to be restarted", "2026-07-28", false],
])("a program %s ends its connection when it dies", async (_, revision, restart) => {
  const { client, problems } = await open(revision, { restart });
  expect(await failure(client.tools.call("die"))).toBeInstanceOf(ProcessError);
  expect(await client.closed).toBeInstanceOf(ProcessError);
  expect(await failure(client.tools.call("pid"))).toBeInstanceOf(ProcessError);
  expect(problems).toEqual([]);
});

test("a client that was closed starts nothing, whether its program lives or not", async () => {
  const { client } = await open("2026-07-28");
  await failure(client.tools.call("die"));
  await client.close();
  expect(await client.closed).toBeInstanceOf(ConnectionClosedError);
  expect(await failure(client.tools.call("pid"))).toBeInstanceOf(ConnectionClosedError);
});
