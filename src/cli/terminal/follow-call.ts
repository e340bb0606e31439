import type { Task } from "allspeak";
import type { Progress } from "allspeak/client";
import { escapeLine } from "../show/escape.ts";
import { ProgressLine } from "./progress-line.ts";
import type { Terminal } from "./terminal.ts";

export interface Following {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  readonly onTask?: (task: Task) => void;
}

/** Runs a call that Ctrl-C cancels, and shows its progress where a terminal shows it. */
export async function followCall<Result>(
  terminal: Terminal,
  run: (following: Following) => Promise<Result>,
): Promise<Result> {
  const { signal } = terminal;
  const isWatched = terminal.streams.stderr.isTTY === true;
  if (!isWatched) return run({ signal });
  const line = new ProgressLine(terminal);
  const last = new Map<string, string>();
  terminal.useProgress(line);
  try {
    return await run({
      signal,
      onProgress: (progress) => line.show(progress),
      onTask: ({ taskId, status, statusMessage = "" }) => {
        const said = escapeLine(`task ${taskId}: ${status} ${statusMessage}`.trimEnd());
        if (last.get(taskId) !== said) terminal.note(terminal.notePaint.dim(said));
        last.set(taskId, said);
      },
    });
  } finally {
    terminal.useProgress(undefined);
  }
}
