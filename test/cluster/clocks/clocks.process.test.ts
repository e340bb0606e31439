import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectors, hasRedis, openState, ownPrefix, url } from "../../state/redis/support.ts";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { askNewest } from "../../support/http/stateless-request.ts";

const program = fileURLToPath(new URL("./fixtures/clock-node.mjs", import.meta.url));
const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} }, elicitation: {} };
const half = 30_000;

describe.skipIf(!hasRedis).each([
  { clocks: "behind", shift: -half },
  { clocks: "ahead", shift: half },
])("a node whose clock is 30 seconds $clocks of another's", ({ shift }) => {
  const prefix = ownPrefix();
  const children: ChildProcess[] = [];
  const cleaning: (() => Promise<void> | void)[] = [];
  let right = "";
  let wrong = "";

  /** Starts a node; returns its address. */
  async function start(shiftMs: number, work: string): Promise<string> {
    const child = fork(program, [String(shiftMs), url, prefix, work]);
    children.push(child);
    const [address] = await once(child, "message");
    return address as string;
  }

  beforeAll(async () => {
    openState(await connectors["a URL and ioredis"](), { prefix }, (clean) => void cleaning.push(clean));
    // Tasks are worked on by the other one.
    [right, wrong] = await Promise.all([start(0, ""), start(shift, "work")]);
  });
  afterAll(async () => {
    for (const child of children) {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
    for (const clean of cleaning) await clean();
  });

  it("shares sessions and streams with it, in both directions", async () => {
    for (const [first, second] of [[right, wrong] as const, [wrong, right] as const]) {
      const session = await openSession(first, "2025-11-25");
      const elsewhere = new RawSession(second, session.id, "2025-11-25");
      const steps = (await elsewhere.call("steps", {}, { id: 8 })).events();
      const begun = await steps.next();
      steps.cut();
      const rest = await (await session.listen(begun?.id)).messages();
      expect(rest.at(-1)).toMatchObject({ id: 8, result: { content: [{ text: "done" }] } });
      expect((await elsewhere.delete()).status).toBe(204);
      expect((await session.ask("ping")).status).toBe(404);
    }
  });

  it("works on tasks that live for less than the difference", async () => {
    const called = await askNewest(wrong, "tools/call", { name: "dig" }, { capabilities });
    const { taskId } = (await called.json()).result;
    const get = async () => {
      const asked = { capabilities, headers: { "mcp-name": taskId } };
      return (await (await askNewest(right, "tasks/get", { taskId }, asked)).json()).result;
    };
    let task = await get();
    while (task.status === "working") task = await get();
    expect(task).toMatchObject({ status: "completed", result: { content: [{ text: "dug" }] } });
  });

  it("takes the state of a call that the other has sealed, once", async () => {
    for (const [first, second] of [[right, wrong] as const, [wrong, right] as const]) {
      const asked = await askNewest(first, "tools/call", { name: "ask" }, { capabilities });
      const { requestState } = (await asked.json()).result;
      const inputResponses = { who: { action: "accept", content: { name: "Ada" } } };
      const again = { name: "ask", requestState, inputResponses };
      const answered = await askNewest(second, "tools/call", again, { capabilities });
      expect((await answered.json()).result).toMatchObject({ content: [{ text: "It is Ada." }] });
      const replayed = await askNewest(first, "tools/call", again, { capabilities });
      expect((await replayed.json()).error.message).toContain("used before");
    }
  });
});
