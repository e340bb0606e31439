// Two nodes and Redis behind a balancer that gives every request to the other node; a client checks that it does not notice.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { connect } from "allspeak/client";
import { serveBalancer } from "./balancer.ts";

// The state of a question travels through clients of 2026-07-28, encrypted; both nodes must be able to read it.
const secret = randomBytes(32).toString("hex");
const prefix = `scaled-${process.pid}`;

async function startNode(): Promise<{ child: ChildProcess; url: string }> {
  const env = { ...process.env, ALLSPEAK_STATE_KEYS: secret, REDIS_PREFIX: prefix, PORT: "0" };
  const program = fileURLToPath(new URL("./node.js", import.meta.url));
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { child, url: line.toString().trim() };
}

const nodes = [await startNode(), await startNode()];
const balancer = await serveBalancer(nodes.map(({ url }) => url));

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  const client = await connect(balancer.url, {
    revisions: [revision],
    elicit: async () => ({ action: "accept", content: { seats: 2 } }),
  });
  const answering = new Set<string>();
  for (let call = 0; call < 6; call++)
    answering.add(JSON.stringify((await client.tools.call("node", {})).content));
  assert.equal(answering.size, 2);
  console.log(`${revision}: both nodes answered one client.`);

  const booked = await client.tools.call("book", {});
  assert.deepEqual(booked.content, [{ type: "text", text: "Booked 2 seats." }]);
  console.log(`${revision}: a question was answered, whichever node got the answer.`);

  let onChanged = () => {};
  const changed = new Promise<void>((resolve) => {
    onChanged = resolve;
  });
  const subscription = await client.subscribe({ resources: ["board://today"] }, () => onChanged());
  // One of the two runs on another node than the one that holds the stream.
  for (let time = 0; time < 2; time++) await client.tools.call("change", {});
  await changed;
  await subscription.close();
  console.log(`${revision}: a change on one node reached the stream on another.`);
  await client.close();
}

balancer.close();
for (const { child } of nodes) {
  const ended = once(child, "close");
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
}
console.log("Both nodes have drained and ended.");
