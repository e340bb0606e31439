import type { ExitCode } from "./exit-code.ts";

export interface ModuleExit {
  /** The module, as it was named. */
  readonly path: string;
  /** What the command does meanwhile. */
  readonly during: string;
  readonly advice: string;
  readonly code: ExitCode;
  /** Aborted where the command itself is about to end. */
  readonly signal?: AbortSignal;
}

/** The first exit code of a process that a signal has ended. */
const signalled = 128;

/** Reports why the command ends where a module ends the process; nothing else could run any more. Returns how to stop. */
export function explainExit({ path, during, advice, code, signal }: ModuleExit): () => void {
  let isUncaught = false;
  // Node reports such an error itself.
  const onUncaught = () => {
    isUncaught = true;
  };
  const onExit = (exit: number) => {
    if (exit >= signalled || isUncaught || signal?.aborted) return;
    process.exitCode = code;
    process.stderr.write(`error: ${path} ended the process with ${exit} ${during}.\n${advice}\n`);
  };
  process.once("uncaughtExceptionMonitor", onUncaught);
  process.once("exit", onExit);
  return () => {
    process.off("uncaughtExceptionMonitor", onUncaught);
    process.off("exit", onExit);
  };
}
