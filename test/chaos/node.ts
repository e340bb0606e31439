// One node of the chaos tests: serves the test server over HTTP with the state of a URL, and writes down what it did.
//
//   node build/test/chaos/node.js '{"name":"node-1","port":3001,"state":"redis://127.0.0.1:6379","history":"node-1.jsonl"}'
import { serveHttp } from "allspeak/node";
import { createChaosServer } from "../support/chaos/chaos-server.ts";
import { HistoryWriter } from "../support/chaos/history.ts";
import { openState } from "../support/chaos/open-state.ts";

interface NodeOptions {
  readonly name: string;
  readonly port: number;
  readonly state: string;
  readonly history: string;
}

const { name, port, state: url, history }: NodeOptions = JSON.parse(process.argv[2] ?? "{}");
const writer = new HistoryWriter(history, name);
const state = await openState(url);
const running = await serveHttp(createChaosServer({ record: (event) => writer.add(event) }), {
  port,
  state,
  // The load comes from one address.
  limits: false,
  sessions: { retryMs: 250 },
  identify: (request) => {
    const subject = request.header("x-user");
    return subject === undefined ? undefined : { issuer: "https://users.example", subject };
  },
});
process.once("SIGTERM", async () => {
  await running.close();
  process.exit(0);
});
console.log(`ready at ${running.url}`);
