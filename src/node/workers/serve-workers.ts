import cluster from "node:cluster";
import { constants } from "node:os";
import { isMainThread } from "node:worker_threads";
import type { Service } from "../../contract/service.ts";
import { UsageError } from "../../errors.ts";
import { settlesWithin } from "../../lib/async/wait-at-most.ts";
import { memoryState } from "../../state/memory/memory-state.ts";
import type { State } from "../../state/state.ts";
import type { HttpServerHandle, ServeHttpOptions } from "../serve/serve-http-options.ts";
import { announceChanges } from "./announce-changes.ts";
import { findFreePort } from "./free-port.ts";
import { serveAsWorker } from "./worker.ts";
import { isOwnWorker } from "./worker-environment.ts";
import { WorkerPool } from "./worker-pool.ts";

/** Serves in this process. */
type Serve = (options: ServeHttpOptions) => Promise<HttpServerHandle>;

const maxWorkers = 1_024;
const closeStatesMs = 2_000;

let endpoints = 0;
let pool: WorkerPool | undefined;
/** The states of all endpoints. The program owns them; they are closed here only where this process exits by itself. */
const states = new Set<State>();

/**
 * Serves with several processes that run this same program.
 *
 * The primary starts them and serves nothing itself. A worker serves, and never returns from here.
 */
export async function serveWithWorkers(
  service: Service,
  options: ServeHttpOptions & { readonly workers: number },
  serve: Serve,
): Promise<HttpServerHandle> {
  const { workers, ...others } = options;
  assertWorkers(workers);
  const endpoint = ++endpoints;
  if (cluster.isWorker && isOwnWorker()) return serveAsWorker(endpoint, others, serve);
  assertPrimary();
  const { state = memoryState(), host = "127.0.0.1" } = others;
  const started = startPool(service, workers);
  states.add(state);
  // Workers listen on one port, also one that is started when all others have ended.
  const port = others.port || (await findFreePort(host));
  const address = await started.serve(endpoint, state, port);
  const stopAnnouncing = await announceChanges(service, state);
  const close = async (drainMs?: number) => {
    await stopAnnouncing();
    await started.close(drainMs);
  };
  return { ...address, close };
}

function startPool(service: Service, workers: number): WorkerPool {
  if (pool?.hasStarted || pool?.isClosing) {
    throw new UsageError(
      "serveHttp with workers was called before, and that call does not return in a worker; begin all calls at once, as in `await Promise.all([serveHttp(a, options), serveHttp(b, options)])`.",
    );
  }
  if (pool && pool.count !== workers)
    throw new UsageError(
      `All calls of serveHttp in a program take the same number of workers, here ${pool.count}.`,
    );
  if (pool) return pool;
  pool = new WorkerPool(workers, (message) => service.report(message, undefined));
  closeOnSignals(pool);
  return pool;
}

/** Drains on the signals that ask a process to end, unless the program has listeners of its own, which may close. */
function closeOnSignals(closing: WorkerPool): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) > 1) return;
      const exit = () => process.exit(128 + constants.signals[signal]);
      // A second signal does not wait.
      if (closing.isClosing) exit();
      void closing.close().then(closeStates).then(exit, exit);
    });
  }
}

/** A file of SQLite is whole only when it was closed, and workers have closed it before. */
async function closeStates(): Promise<void> {
  await settlesWithin(closeStatesMs, Promise.allSettled([...states].map((state) => state.close())));
}

function assertWorkers(workers: number): void {
  if (Number.isInteger(workers) && workers >= 1 && workers <= maxWorkers) return;
  throw new UsageError(
    `serveHttp: the option "workers" takes a whole number from 1 to ${maxWorkers}, not ${workers}; node:os has availableParallelism().`,
  );
}

function assertPrimary(): void {
  if (cluster.isWorker)
    throw new UsageError(
      "This process is a worker that the program started with node:cluster; leave out the option workers, or let serveHttp start all workers.",
    );
  if (!isMainThread)
    throw new UsageError("The option workers starts processes, which a thread of node:worker_threads can't.");
  if (!process.argv[1])
    throw new UsageError("The option workers starts this program again, which needs a file: node main.js.");
}
