import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { connect } from "@nats-io/transport-node";
import type { State } from "allspeak/http";
import { type NatsOptions, nats } from "allspeak/state/nats";
import { afterAll, onTestFinished } from "vitest";
import { findFreePort } from "../../support/free-port.ts";
import { createTemporaryFolder, type OnDone } from "../../support/temporary-folder.ts";

/** The server that runs on this machine, or the one that is named. */
export const url: string = process.env.NATS_URL ?? "nats://127.0.0.1:4222";

/** Whether that server is there. Without it its tests are skipped. */
export const hasNats: boolean = await isThere();

async function isThere(): Promise<boolean> {
  try {
    await (await connect({ servers: new URL(url).host, maxReconnectAttempts: 0 })).close();
    return true;
  } catch {
    console.log(`The tests of the NATS state are skipped: there is no server at ${url}.`);
    return false;
  }
}

/** A prefix whose streams are deleted when the tests of the file have ended. */
export function ownPrefix(): string {
  const prefix = `test-${randomBytes(8).toString("hex")}`;
  afterAll(() => deleteStreams(prefix));
  return prefix;
}

/** A state that is closed after the test, in streams of its own unless a prefix is given. */
export function openState(options: NatsOptions = {}, server: string = url): State {
  const { prefix = `test-${randomBytes(8).toString("hex")}` } = options;
  const state = nats(server, { ...options, prefix });
  onTestFinished(async () => {
    await state.close();
    if (options.prefix === undefined && server === url) await deleteStreams(prefix);
  });
  return state;
}

/** Asks JetStream something, as its command line does. */
export async function askJetStream(name: string, params: object = {}, server: string = url) {
  const connection = await connect({ servers: new URL(server).host });
  try {
    const answer = await connection.request(`$JS.API.${name}`, JSON.stringify(params));
    return answer.json<Record<string, unknown>>();
  } finally {
    await connection.close();
  }
}

/** The number of messages in a stream. */
export async function messagesIn(stream: string): Promise<number> {
  const { state } = await askJetStream(`STREAM.INFO.${stream}`);
  return (state as { messages: number }).messages;
}

export async function deleteStreams(prefix: string): Promise<void> {
  if (!hasNats) return;
  const connection = await connect({ servers: new URL(url).host });
  for (const name of ["state", "events", "queue"])
    await connection.request(`$JS.API.STREAM.DELETE.${prefix}_${name}`);
  await connection.close();
}

/** A server of NATS that a test may stop. */
export class OwnServer {
  readonly url: string;
  readonly #args: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(port: number, args: readonly string[], onDone: OnDone) {
    this.url = `nats://127.0.0.1:${port}`;
    this.#args = ["-a", "127.0.0.1", "-p", String(port), ...args];
    onDone(() => this.kill());
  }

  static async start(
    args: readonly string[] = ["-js", "-sd", createTemporaryFolder()],
    onDone: OnDone = onTestFinished,
  ): Promise<OwnServer> {
    const server = new OwnServer(await findFreePort(), args, onDone);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const started = spawn("nats-server", this.#args, { stdio: ["ignore", "ignore", "pipe"] });
    this.#process = started;
    for await (const line of createInterface(started.stderr)) if (line.includes("Server is ready")) break;
    started.stderr.resume();
  }

  /** Resolves when the server stands still. */
  async freeze(): Promise<void> {
    this.#process?.kill("SIGSTOP");
    while (!/\) T /.test(await readFile(`/proc/${this.#process?.pid}/stat`, "utf8")));
  }

  thaw(): void {
    this.#process?.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    const { exitCode, signalCode } = this.#process ?? { exitCode: 0 };
    if (this.#process === undefined || exitCode !== null || signalCode !== null) return;
    const exited = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await exited;
  }
}
