import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { UsageError } from "../../errors.ts";
import { runLater } from "../../lib/async/timers.ts";
import { settlesWithin } from "../../lib/async/wait-at-most.ts";
import { randomToken } from "../../lib/encoding/random-token.ts";
import type { State } from "../../state/state.ts";
import { IpcChannel } from "./ipc-channel.ts";
import { type EndpointAddress, PoolEndpoint } from "./pool-endpoint.ts";
import { hostState } from "./state-host.ts";
import { workerVariable } from "./worker-environment.ts";
import type { FromPrimary, FromWorker } from "./worker-message.ts";

/** The time within which a worker must serve; one that takes longer is ended. */
const startMs = 60_000;
/** A worker that lives so long was not started in vain. */
const longLifeMs = 5_000;
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** The workers that may end before they serve, one after the other, before the start is given up. */
const maxFailedStarts = 3;
const drainMs = 10_000;
/** The time that a worker has to end beside the time for its calls. */
const exitMs = 5_000;

interface PooledWorker {
  readonly process: Worker;
  readonly channel: IpcChannel<FromPrimary, FromWorker>;
  readonly exited: Promise<unknown>;
  hasServed: boolean;
}

/** The workers of this program. One that ends is replaced until the pool is closed. */
export class WorkerPool {
  readonly #count: number;
  readonly #report: (message: string) => void;
  readonly #workers = new Map<number, PooledWorker>();
  readonly #endpoints = new Map<number, PoolEndpoint>();
  /** The key of all workers for what clients carry; the environment may have one. */
  readonly #stateKey = randomToken();
  readonly #pauses = new Set<ReturnType<typeof setTimeout>>();
  #shortLives = 0;
  #closing: Promise<void> | undefined;

  constructor(count: number, report: (message: string) => void) {
    this.#count = count;
    this.#report = report;
    for (let started = 0; started < count; started++) this.#start();
  }

  get count(): number {
    return this.#count;
  }

  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** True if every worker has once served all that it serves, so that it never comes to a later call. */
  get hasStarted(): boolean {
    return [...this.#endpoints.values()].some(({ isServed }) => isServed);
  }

  /** Resolves to the address of an endpoint when every worker serves it. `state` is for those that share memory. */
  serve(endpoint: number, state: State, port: number): Promise<EndpointAddress> {
    return this.#endpoint(endpoint).open({ state, port });
  }

  /** Lets every worker finish its calls, and ends it. */
  close(givenDrainMs: number = drainMs): Promise<void> {
    this.#closing ??= this.#closeAll(givenDrainMs);
    return this.#closing;
  }

  async #closeAll(givenDrainMs: number): Promise<void> {
    for (const pause of this.#pauses) clearTimeout(pause);
    await Promise.all([...this.#workers.values()].map((worker) => closeWorker(worker, givenDrainMs)));
  }

  #start(): void {
    const keys = process.env.ALLSPEAK_STATE_KEYS || this.#stateKey;
    const worker = cluster.fork({ [workerVariable]: "1", ALLSPEAK_STATE_KEYS: keys });
    const startedAt = Date.now();
    const channel = new IpcChannel<FromPrimary, FromWorker>(worker);
    const pooled: PooledWorker = { process: worker, channel, exited: once(worker, "exit"), hasServed: false };
    this.#workers.set(worker.id, pooled);
    const stopHosting = hostState(channel, async (number) => (await this.#endpoint(number).opened).state);
    channel.onMessage((message) => this.#receive(pooled, message));
    const deadline = runLater(() => worker.process.kill("SIGKILL"), startMs);
    worker.once("listening", () => clearTimeout(deadline));
    worker.once("exit", (code: number | null, signal: string | null) => {
      clearTimeout(deadline);
      stopHosting();
      this.#workers.delete(worker.id);
      this.#onExit(pooled, { startedAt, how: signal ? `by ${signal}` : `with code ${code}` });
    });
  }

  #receive(worker: PooledWorker, message: FromWorker): void {
    const { endpoint } = message;
    if (message.kind === "ready")
      void this.#endpoint(endpoint).opened.then(({ port }) => {
        return worker.channel.send({ kind: "port", endpoint, port });
      });
    if (message.kind === "listening") {
      worker.hasServed = true;
      this.#endpoint(endpoint).add(worker.process.id, message.url, this.#count);
    }
    if (message.kind === "failed") this.#giveUp(new UsageError(message.message));
  }

  #onExit(
    { process: { id }, hasServed }: PooledWorker,
    { startedAt, how }: { startedAt: number; how: string },
  ): void {
    for (const endpoint of this.#endpoints.values()) endpoint.remove(id);
    if (this.isClosing) return;
    this.#shortLives = hasServed && Date.now() - startedAt >= longLifeMs ? 0 : this.#shortLives + 1;
    if (!hasServed && this.#shortLives >= maxFailedStarts)
      this.#giveUp(
        new Error(`Workers end before they serve, the last one ${how}; see what they wrote to stderr.`),
      );
    if (this.isClosing) return;
    const pauseMs =
      this.#shortLives === 0 ? 0 : Math.min(firstPauseMs * 2 ** (this.#shortLives - 1), longestPauseMs);
    this.#report(`A worker ended ${how}; another takes its place${pauseMs > 0 ? ` in ${pauseMs} ms` : ""}.`);
    // A pool without workers lives on until it has one again.
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      this.#start();
    }, pauseMs);
    this.#pauses.add(pause);
  }

  /** Ends everything if nothing was served yet; else there are workers that serve, and others follow. */
  #giveUp(error: Error): void {
    if (this.hasStarted) return this.#report(error.message);
    for (const endpoint of this.#endpoints.values()) endpoint.fail(error);
    void this.close(0);
  }

  #endpoint(number: number): PoolEndpoint {
    const endpoint = this.#endpoints.get(number) ?? new PoolEndpoint();
    this.#endpoints.set(number, endpoint);
    return endpoint;
  }
}

async function closeWorker(
  { process: worker, channel, exited, hasServed }: PooledWorker,
  drainMs: number,
): Promise<void> {
  // One that has not served yet does not listen to us.
  if (hasServed) void channel.send({ kind: "close", drainMs });
  else worker.process.kill("SIGKILL");
  if (!(await settlesWithin(drainMs + exitMs, exited))) worker.process.kill("SIGKILL");
  await exited;
}
