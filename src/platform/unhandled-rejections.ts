type IsExpected = (reason: unknown) => boolean;
type Listener = (reason: unknown) => void;

interface NodeLike {
  readonly execArgv?: readonly string[];
  readonly env?: { readonly NODE_OPTIONS?: string };
  readonly versions?: { readonly deno?: string };
  exitCode?: number | string | undefined;
  prependListener(event: "unhandledRejection", listener: Listener): unknown;
  listeners(event: "unhandledRejection"): readonly unknown[];
  listenerCount(event: string): number;
  emit(event: string, ...args: readonly unknown[]): boolean;
  emitWarning?(message: string, name: string): void;
  hasUncaughtExceptionCaptureCallback?(): boolean;
}

interface EventLike {
  readonly reason: unknown;
  preventDefault(): void;
}

/** Marks our listener and holds its tests; all copies of this package in the process share one listener. */
const mark = Symbol.for("allspeak.unhandledRejections");

interface MarkedListener extends Listener {
  readonly [mark]?: Set<IsExpected>;
}

let isInstalled = false;

/**
 * Installs the listener that keeps expected rejections without a handler from ending the process.
 *
 * A handler that ends at a question rejects promises of its author's own making, which the library can't
 * reach: `const later = ask(ctx); await work(); await later`. Safe to call again and from several copies.
 *
 * Every other such rejection behaves as if the listener were not there. Node, Deno and Bun have `process`;
 * elsewhere the global object has the event.
 */
export function ignoreUnhandledRejections(isExpected: IsExpected): void {
  const { process, addEventListener } = globalThis as {
    process?: Partial<NodeLike>;
    addEventListener?: (event: string, listener: (event: EventLike) => void) => void;
  };
  if (process?.prependListener && process.listeners) {
    installOnProcess(process as NodeLike, isExpected);
  } else if (!isInstalled) {
    isInstalled = true;
    addEventListener?.("unhandledrejection", (event) => {
      if (isExpected(event.reason)) event.preventDefault();
    });
  }
}

function installOnProcess(process: NodeLike, isExpected: IsExpected): void {
  const listeners = process.listeners("unhandledRejection") as readonly MarkedListener[];
  const shared = listeners.find((listener) => listener[mark])?.[mark];
  if (shared) {
    shared.add(isExpected);
    return;
  }
  const tests = new Set([isExpected]);
  const mode = readMode(process);
  const listener = (reason: unknown) => {
    for (const test of tests) if (test(reason)) return;
    // A listener of the host replaces the default behaviour.
    if (process.listenerCount("unhandledRejection") === 1) applyDefault(process, mode, reason);
  };
  // First in the list: a listener that the host added by `once` is still counted.
  process.prependListener("unhandledRejection", Object.assign(listener, { [mark]: tests }));
}

/** The value of `--unhandled-rejections`; the command line comes after `NODE_OPTIONS`, and the last one wins. */
function readMode({ execArgv = [], env, versions }: NodeLike): string {
  // Deno lacks the option, and asks its user for permission to read a variable.
  const options = versions?.deno === undefined ? (env?.NODE_OPTIONS ?? "") : "";
  const given = [options, ...execArgv]
    .join(" ")
    .matchAll(/(?:^|\s)--unhandled[-_]rejections[=\s]"?([a-z-]+)/g);
  return [...given].at(-1)?.[1] ?? "throw";
}

/** Repeats what Node does with a rejection that has no listener. */
function applyDefault(process: NodeLike, mode: string, reason: unknown): void {
  switch (mode) {
    case "none":
    case "warn":
      // Node acts in these modes whether or not there is a listener.
      return;
    case "strict":
      // Node has thrown it already, and a listener of the host has kept the process alive.
      return warn(process, reason);
    case "warn-with-error-code":
      warn(process, reason);
      process.exitCode = 1;
      return;
    default:
      return raise(process, reason);
  }
}

function warn(process: NodeLike, reason: unknown): void {
  const text = reason instanceof Error ? (reason.stack ?? String(reason)) : show(reason);
  process.emitWarning?.(text, "UnhandledPromiseRejectionWarning");
}

/** Throws the reason; listeners for exceptions receive it with the origin that Node would give. */
function raise(process: NodeLike, reason: unknown): void {
  const error = reason instanceof Error ? reason : toError(reason);
  const isCaptured = process.hasUncaughtExceptionCaptureCallback?.() ?? false;
  if (isCaptured || process.listenerCount("uncaughtException") === 0) throw error;
  process.emit("uncaughtExceptionMonitor", error, "unhandledRejection");
  process.emit("uncaughtException", error, "unhandledRejection");
}

/** The error that Node makes of a reason that is not an error. */
function toError(reason: unknown): Error {
  const error = new Error(
    "This error originated either by throwing inside of an async function without a catch block, or by rejecting " +
      `a promise which was not handled with .catch(). The promise rejected with the reason "${show(reason)}".`,
  );
  return Object.assign(error, { name: "UnhandledPromiseRejection", code: "ERR_UNHANDLED_REJECTION" });
}

function show(reason: unknown): string {
  try {
    return String(reason);
  } catch {
    return typeof reason;
  }
}
