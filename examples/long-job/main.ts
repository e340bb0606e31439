// A job that outlives its client, a question in its middle, a job that is cancelled, and a client without tasks:
//   node scripts/run.js examples/long-job/main.ts
import assert from "node:assert/strict";
import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { printed, server } from "./server.ts";

const running = await serveHttp(server);

/** Starts a job, and returns its id as soon as the server has stored it. */
function startJob(client: Client, book: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const onTask = ({ taskId }: { taskId: string }) => resolve(taskId);
    client.tools.call("print-book", { ...book }, { onTask }).catch(reject);
  });
}

// A job may ask what the client that started it could answer, so both clients have the same handlers.
const options: ConnectOptions = {
  tasks: true,
  elicit: ({ message }) => {
    console.log(`  the server asks: ${message}  the user answers: green`);
    return { action: "accept", content: { colour: "green" } };
  },
};

console.log("A client starts a job and goes away.");
const first = await connect(running.url, options);
const id = await startJob(first, { title: "Emma", askForCover: true });
await first.close();

console.log("Another one comes back for it, and answers its question.");
const second = await connect(running.url, options);
const onTask = ({ status, statusMessage = "" }: { status: string; statusMessage?: string }) =>
  console.log(`  ${status} ${statusMessage}`);
const finished = await second.tasks.resume(id, { onTask });
console.log(" ", finished.content);
assert.deepEqual(finished.content, [{ type: "text", text: "Emma: 3 chapters in green." }]);
// The handler ran twice, because it asked; each chapter was printed once.
assert.equal(printed.length, 3);

console.log("A job is cancelled.");
const cancelled = await startJob(second, { title: "Ulysses", secondsPerChapter: 60 }).then(async (taskId) => {
  await second.tasks.cancel(taskId);
  return second.tasks.get(taskId);
});
console.log(`  ${cancelled.status}`);
assert.equal(cancelled.status, "cancelled");
await second.close();

console.log("A client of 2025-06-18, which has no tasks, waits and sees progress.");
const old = await connect(running.url, { revisions: ["2025-06-18"] });
const steps: (string | undefined)[] = [];
const printing = await old.tools.call(
  "print-book",
  { title: "Middlemarch", secondsPerChapter: 0.01 },
  { onProgress: ({ message }) => void steps.push(message) },
);
console.log(" ", steps, printing.content);
assert.deepEqual(steps, ['printing "Beginning"', 'printing "Middle"', 'printing "End"']);
assert.deepEqual(printing.content, [{ type: "text", text: "Middlemarch: 3 chapters." }]);
await old.close();
await running.close();
console.log("All as expected.");
