/** Something started by us that must not outlive us. */
export interface TrackedChild {
  /** Ends it before this call returns: the process is about to exit. */
  killSync(): void;
  /** Ends it in an orderly way, in bounded time. */
  end(): Promise<void>;
}

const signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
const living = new Set<TrackedChild>();

/** From now on, `tree` ends with this process. */
export function trackChild(tree: TrackedChild): void {
  if (living.size === 0) {
    process.on("exit", killAll);
    watchSignals();
  }
  living.add(tree);
}

export function untrackChild(tree: TrackedChild): void {
  if (!living.delete(tree) || living.size > 0) return;
  process.off("exit", killAll);
  ignoreSignals();
}

function killAll(): void {
  for (const tree of living) tree.killSync();
}

function watchSignals(): void {
  ignoreSignals();
  // In front, so that we are gone when others look whether they are the only ones.
  for (const signal of signals) process.prependListener(signal, onSignal);
}

function ignoreSignals(): void {
  for (const signal of signals) process.off(signal, onSignal);
}

/**
 * A signal that nobody handles ends this process without an `exit` event. Children have
 * process groups of their own, so that a terminal's Ctrl-C does not reach them either.
 *
 * Where the program handles the signal itself, it decides what happens.
 */
function onSignal(signal: NodeJS.Signals): void {
  ignoreSignals();
  if (process.listenerCount(signal) === 0) void endAll().finally(() => process.kill(process.pid, signal));
  else setImmediate(() => living.size > 0 && watchSignals());
}

async function endAll(): Promise<void> {
  await Promise.all([...living].map((tree) => tree.end()));
}
