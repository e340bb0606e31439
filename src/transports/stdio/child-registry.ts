/** A child process that must not outlive this one. */
export interface TrackedChild {
  /** Kills it before this call returns, because this process is about to exit. */
  killSync(): void;
  /** Shuts it down in order, in bounded time. */
  end(): Promise<void>;
}

const signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
const children = new Set<TrackedChild>();

/**
 * Makes a child end with this process.
 *
 * Installs listeners for the exit and the signals of this process while any child is tracked.
 */
export function trackChild(child: TrackedChild): void {
  if (children.size === 0) {
    process.on("exit", killAll);
    listenForSignals();
  }
  children.add(child);
}

export function untrackChild(child: TrackedChild): void {
  if (!children.delete(child) || children.size > 0) return;
  process.off("exit", killAll);
  ignoreSignals();
}

function killAll(): void {
  for (const child of children) child.killSync();
}

function listenForSignals(): void {
  ignoreSignals();
  // In front, so that ours is removed before other listeners count theirs.
  for (const signal of signals) process.prependListener(signal, onSignal);
}

function ignoreSignals(): void {
  for (const signal of signals) process.off(signal, onSignal);
}

/**
 * Ends the children before a signal ends this process.
 *
 * A signal without a listener ends a process without an `exit` event. A terminal's Ctrl-C does not
 * reach the children either, because they have process groups of their own. Where the program has a
 * listener for the signal, that listener decides what happens.
 */
function onSignal(signal: NodeJS.Signals): void {
  ignoreSignals();
  if (process.listenerCount(signal) === 0) void endAll().finally(() => process.kill(process.pid, signal));
  else setImmediate(() => children.size > 0 && listenForSignals());
}

async function endAll(): Promise<void> {
  await Promise.all([...children].map((child) => child.end()));
}
