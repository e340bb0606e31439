import { Agent } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { exchange } from "../../support/http/exchange.ts";
import { toInitialize } from "../../support/http/raw-session.ts";
import { startProgram } from "./program.ts";

const posting = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** A connection that stays open, and so with one worker. */
class WorkerConnection {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #headers: Readonly<Record<string, string>>;
  #lastId = 0;

  constructor(url: string, session: string) {
    this.#url = url;
    this.#headers = { ...posting, "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    onTestFinished(() => this.#agent.destroy());
  }

  /** Calls the tool that tells its process; gives the status, and the process. */
  async who(): Promise<{ readonly status: number; readonly pid: number }> {
    const params = { name: "who", arguments: {} };
    const answer = await this.#send({ jsonrpc: "2.0", id: ++this.#lastId, method: "tools/call", params });
    const message = await answer.result();
    return { status: answer.status, pid: Number(message.result?.content[0].text) };
  }

  async notify(method: string): Promise<number> {
    const answer = await this.#send({ jsonrpc: "2.0", method });
    await answer.text();
    return answer.status;
  }

  async delete(): Promise<number> {
    const answer = await exchange(this.#url, {
      method: "DELETE",
      headers: this.#headers,
      agent: this.#agent,
    });
    await answer.text();
    return answer.status;
  }

  #send(body: object) {
    return exchange(this.#url, { headers: this.#headers, body, agent: this.#agent });
  }
}

/** A session that both workers have just used, with a connection to each. */
async function openAtBoth() {
  const { url } = await startProgram();
  const opened = await exchange(url, { headers: posting, body: toInitialize("2025-11-25") });
  await opened.text();
  const session = opened.headers["mcp-session-id"] as string;
  const connect = () => new WorkerConnection(url, session);
  await connect().notify("notifications/initialized");
  const first = connect();
  const { pid } = await first.who();
  let second = connect();
  let other = await second.who();
  while (other.pid === pid) {
    second = connect();
    other = await second.who();
  }
  return { first, second, pidOfSecond: other.pid };
}

it("a session that one worker has ended is unknown to the next call at another", async () => {
  const { first, second } = await openAtBoth();
  expect(await first.delete()).toBe(204);
  expect((await second.who()).status).toBe(404);
});

it("a worker that is stopped does not keep another from ending a session, and does not go on with it", async () => {
  const { first, second, pidOfSecond } = await openAtBoth();
  process.kill(pidOfSecond, "SIGSTOP");
  onTestFinished(() => void process.kill(pidOfSecond, "SIGCONT"));
  let status = await first.delete();
  // A change that takes too long, as it may on a busy machine, is told to come back.
  while (status === 503) status = await first.delete();
  expect([204, 404]).toContain(status);
  const late = second.who();
  process.kill(pidOfSecond, "SIGCONT");
  expect((await late).status).toBe(404);
});
