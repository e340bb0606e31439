// Calls a server that runs in a worker thread:
//   node scripts/run.js examples/worker/main.ts
import assert from "node:assert/strict";
import { Worker } from "node:worker_threads";
import { connect, portTransport } from "allspeak/client";

const worker = new Worker(new URL("server.js", import.meta.url));
const client = await connect(portTransport(worker));

let turns = 0;
const clock = setInterval(() => turns++, 1);
const { content } = await client.tools.call("count-primes", { below: 3_000_000 });
clearInterval(clock);
console.log(`primes below 3,000,000:`, content, `(this thread had ${turns} turns meanwhile)`);
assert.deepEqual(content, [{ type: "text", text: "216816" }]);
assert.ok(turns > 0, "The work of the worker must not block this thread.");

await client.close();
await worker.terminate(); // a worker belongs to the program that started it
console.log("All as expected.");
