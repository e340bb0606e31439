import { createHook } from "node:async_hooks";
import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Client, connect } from "../../src/client.ts";
import {
  createMemoryPipe,
  createServer,
  type Pipe,
  pipeTransport,
  type RevisionName,
  servePipe,
  tool,
} from "../../src/index.ts";
import { alone } from "../support/raw-client.ts";

const callsPerBatch = 20;
const batches = 5;
const server = { name: "bare", version: "1.0.0" };

/** The far end of a pipe, which answers without a promise, so that only what the client makes is counted. */
function answerAll(far: Pipe): void {
  const ignore = () => {};
  far.start({
    onText: (text) => {
      const { id, method, params } = JSON.parse(text);
      if (id !== undefined)
        void far.write(JSON.stringify({ jsonrpc: "2.0", id, result: toResult(method, params) }));
    },
    onUnreadable: ignore,
    onStrayOutput: ignore,
    onClose: ignore,
  });
}

function toResult(method: string, params: { readonly protocolVersion?: string }): object {
  switch (method) {
    case "initialize":
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: server };
    case "server/discover":
      return {
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        serverInfo: server,
      };
    default:
      return { resultType: "complete", content: [{ type: "text", text: "x" }] };
  }
}

async function open(revision: RevisionName): Promise<Client> {
  const [near, far] = createMemoryPipe();
  answerAll(far);
  const client = await connect(
    pipeTransport("bare", () => near),
    { revisions: [revision] },
  );
  onTestFinished(() => client.close());
  return client;
}

/** The least that a batch of calls made, since other work in this process is counted too. */
async function measure(client: Client): Promise<{ readonly promises: number; readonly timers: number }> {
  const costs: { promises: number; timers: number }[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const made = new Map<string, number>();
    const hook = createHook({ init: (_, type) => void made.set(type, (made.get(type) ?? 0) + 1) });
    hook.enable();
    for (let call = 0; call < callsPerBatch; call++) await client.tools.call("echo", { text: "x" });
    hook.disable();
    const per = (type: string) => Math.round((made.get(type) ?? 0) / callsPerBatch);
    costs.push({ promises: per("PROMISE"), timers: per("Timeout") });
  }
  const least = (key: "promises" | "timers") => Math.min(...costs.map((cost) => cost[key]));
  return { promises: least("promises"), timers: least("timers") };
}

describe.each(["2025-11-25", "2026-07-28"] as const)("a call of the client, in %s", (revision) => {
  it("makes at most four promises, three more for what awaits them, and one timer while no other is open", async () => {
    const client = await open(revision);
    await measure(client);
    const { promises, timers } = await measure(client);
    expect(promises).toBeLessThanOrEqual(7);
    expect(timers).toBeLessThanOrEqual(1);
  });

  it("shares the timer of the calls that are open with it", async () => {
    const client = await open(revision);
    const timers: string[] = [];
    const hook = createHook({ init: (_, type) => void (type === "Timeout" && timers.push(type)) });
    hook.enable();
    const calls = Array.from({ length: 100 }, () => client.tools.call("echo"));
    hook.disable();
    await Promise.all(calls);
    expect(timers).toHaveLength(1);
  });

  it("listens to its signal only while it is open", async () => {
    const client = await open(revision);
    const { signal } = new AbortController();
    const listeners = () => getEventListeners(signal, "abort").length;
    for (let round = 0; round < 3; round++) {
      const calls = Array.from({ length: 5 }, () => client.tools.call("echo", {}, { signal }));
      expect(listeners()).toBe(5);
      await Promise.all(calls);
      expect(listeners()).toBe(0);
    }
  });
});

it("a call of the server makes no promise and no timer where its handler makes none", async () => {
  const echo = tool("echo", {}, () => "x");
  let answers = 0;
  let receive = (_text: string): void => {};
  // A pipe that delivers at once, so that only what the server makes is counted.
  const pipe: Pipe = {
    kind: "bare",
    start: (sink) => {
      receive = (text) => sink.onText(text);
    },
    write: () => void answers++,
    close: async () => {},
  };
  const connection = servePipe(createServer({ ...server, tools: [echo] }), pipe);
  onTestFinished(() => connection.close(0));
  const call = JSON.stringify({
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
    params: { name: "echo", ...alone() },
  });
  receive(call);
  await Promise.resolve();
  const made: string[] = [];
  const hook = createHook({ init: (_, type) => void made.push(type) });
  hook.enable();
  for (let count = 0; count < callsPerBatch; count++) receive(call);
  hook.disable();
  expect({ made, answers }).toEqual({ made: [], answers: callsPerBatch + 1 });
});
