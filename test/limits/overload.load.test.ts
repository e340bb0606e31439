// L4: three times as much as a server can do, offered whether it answers or not.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callNewest, toNewest } from "../support/http/stateless-request.ts";

interface Outcome {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly ms: number;
}

let child: ChildProcess;
let url: string;

beforeAll(async () => {
  const path = fileURLToPath(new URL("fixtures/overloaded.mjs", import.meta.url));
  child = spawn(process.execPath, [path], { stdio: ["ignore", "pipe", "inherit"] });
  if (child.stdout === null) throw new Error("No output.");
  [url] = await once(createInterface(child.stdout), "line");
});
afterAll(async () => {
  child.kill();
  await once(child, "exit");
});

/** One call over a connection of its own, if need be. */
function callOnce(agent: Agent): Promise<Outcome> {
  const { body, headers } = toNewest("tools/call", { name: "wait", arguments: {} });
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, headers }, (answer) => {
      answer.resume();
      answer.once("end", () => {
        const { statusCode: status = 0 } = answer;
        resolve({ status, retryAfter: answer.headers["retry-after"], ms: performance.now() - startedAt });
      });
    });
    sent.once("error", reject);
    sent.end(JSON.stringify(body));
  });
}

/** Sends so many calls a second for a while, without waiting for any. */
async function offer(perSecond: number, ms: number): Promise<Outcome[]> {
  const agent = new Agent({ keepAlive: true });
  const outcomes: Promise<Outcome>[] = [];
  const startedAt = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - startedAt;
      const due = Math.min(elapsed, ms) * (perSecond / 1000);
      for (let sent = outcomes.length; sent < due; sent++) outcomes.push(callOnce(agent));
      if (elapsed < ms) return;
      clearInterval(timer);
      resolve();
    }, 5);
  });
  const settled = await Promise.all(outcomes);
  agent.destroy();
  return settled;
}

async function heldBytes(): Promise<number> {
  const { result } = await (await callNewest(url, "memory")).result();
  return Number((result as { content: [{ text: string }] }).content[0].text);
}

it("L4: at three times its capacity a server answers what it takes in time, refuses the rest, and recovers", async () => {
  // Two at once for 100 ms each.
  const capacity = 20;
  await offer(capacity / 4, 500);
  const before = await heldBytes();
  const outcomes = await offer(3 * capacity, 3_000);
  const accepted = outcomes.filter(({ status }) => status === 200);
  const refused = outcomes.filter(({ status }) => status === 503);
  expect(accepted.length + refused.length).toBe(outcomes.length);
  expect(refused.length).toBeGreaterThan(outcomes.length / 4);
  expect(accepted.length).toBeGreaterThan(outcomes.length / 20);
  for (const { retryAfter } of refused) expect(retryAfter).toBe("1");
  const slowest = accepted.map(({ ms }) => ms).sort((a, b) => a - b);
  expect(slowest[Math.floor(slowest.length * 0.99)]).toBeLessThan(2_000);
  const agent = new Agent();
  const after = await callOnce(agent);
  expect(after.status).toBe(200);
  expect(after.ms).toBeLessThan(5_000);
  expect((await heldBytes()) - before).toBeLessThan(150 * 1024 * 1024);
});
