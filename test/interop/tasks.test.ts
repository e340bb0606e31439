import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { childCommand } from "../matrix/matrix.ts";
import { readText } from "../matrix/read-text.ts";
import { loadServer } from "../matrix/servers/load.ts";
import { fixture } from "./fixture.ts";

const reaches: Record<string, () => Promise<Transport>> = {
  stdio: async () => new StdioClientTransport(childCommand("working")),
  HTTP: async () => {
    const running = await serveHttp(await loadServer("working"));
    onTestFinished(() => running.close(0));
    return new StreamableHTTPClientTransport(new URL(running.url)) as Transport;
  },
};

async function openV1(transport: Transport): Promise<Client> {
  const client = new Client(
    { name: "v1", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }));
  await client.connect(transport);
  onTestFinished(() => client.close());
  // It calls as tasks what it has seen to be tasks.
  await client.listTools();
  return client;
}

/** What the official client says of a call that becomes a task, in order. */
async function drive(client: Client, name: string, args: Record<string, unknown> = {}) {
  const seen: string[] = [];
  const stream = client.experimental.tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, {
    task: { ttl: 60_000 },
  });
  for await (const message of stream) {
    seen.push(message.type);
    if (message.type === "error") throw message.error;
    if (message.type === "result") return { seen, text: readText(message.result as never) };
  }
  throw new Error("It came to no end.");
}

describe.each(Object.keys(reaches))("the official SDK v1 client over %s", (name) => {
  const open = async () => {
    const transport = await reaches[name]?.();
    if (transport === undefined) throw new Error(name);
    return openV1(transport);
  };

  test("drives a task of our server to its result", async () => {
    const client = await open();
    const { seen, text } = await drive(client, "add", { a: 2, b: 3 });
    expect(text).toBe("5");
    expect(seen[0]).toBe("taskCreated");
    // Nobody is identified, so that tasks are known by their ids alone.
    await expect(client.experimental.tasks.listTasks()).rejects.toThrow();
  });

  test("drives a task of our server that asks its user", async () => {
    const client = await open();
    const { text } = await drive(client, "asks", { seed: `v1 ${name}` });
    expect(text).toBe("1 Ada Ada accept 1");
  });

  test("cancels a task of our server, and hears of errors as of any call", async () => {
    const client = await open();
    const stream = client.experimental.tasks.callToolStream({ name: "sleeps" }, CallToolResultSchema, {
      task: { ttl: 60_000 },
    });
    const { value } = await stream.next();
    const taskId = value?.type === "taskCreated" ? value.task.taskId : "";
    await client.experimental.tasks.cancelTask(taskId);
    expect(await client.experimental.tasks.getTask(taskId)).toMatchObject({ status: "cancelled" });
    await expect(client.experimental.tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32602 });
    const failure = await drive(client, "breaks").catch((error: Error) => error.message);
    const [, failed = ""] = /Task (\w+) failed/.exec(String(failure)) ?? [];
    await expect(client.experimental.tasks.getTaskResult(failed)).rejects.toMatchObject({ code: -32050 });
  });
});

describe("our client with a server of the official SDK v1", () => {
  const open = async () => {
    const client = await connect(fixture("official-v1-tasks-server"), {
      elicit: async () => ({ action: "accept", content: { name: "Ada" } }),
      tasks: { asks: true },
    });
    onTestFinished(() => client.close());
    return client;
  };

  test("drives its tasks, with and without being told that they are", async () => {
    const client = await open();
    await client.tools.list().all();
    const seen: string[] = [];
    const onTask = ({ status }: { status: string }) => seen.push(status);
    expect(readText(await client.tools.call("add", { a: 2, b: 3 }, { onTask }))).toBe("5");
    expect(seen[0]).toBe("working");
    expect(seen.at(-1)).toBe("completed");
    expect(readText(await client.tools.call("greet", {}, { task: true }))).toBe("Hello, Ada!");
    expect(await client.tasks.list().all()).toHaveLength(2);
  });

  test("gives up its tasks, and goes on with them by id", async () => {
    const client = await open();
    const controller = new AbortController();
    let id = "";
    const onTask = ({ taskId }: { taskId: string }) => {
      id = taskId;
      controller.abort();
    };
    const called = client.tools.call("sleep", {}, { task: true, onTask, signal: controller.signal });
    await expect(called).rejects.toMatchObject({ code: "cancelled" });
    let { status } = await client.tasks.get(id);
    while (status === "working") ({ status } = await client.tasks.get(id));
    expect(status).toBe("cancelled");
  });

  test("answers its questions that come as tasks", async () => {
    const client = await open();
    expect(readText(await client.tools.call("ask-as-task"))).toBe("taskCreated Ada");
  });
});
