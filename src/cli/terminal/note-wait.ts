import { escapeLine } from "../show/escape.ts";
import type { Terminal } from "./terminal.ts";

/** The time after which a person wants to know what the command waits for. */
const patienceMs = 4_000;

/** Waits for work. If it takes long, and somebody watches, says what is waited for. */
export async function noteWait<Result>(
  terminal: Terminal,
  what: string,
  work: Promise<Result>,
): Promise<Result> {
  if (terminal.streams.stderr.isTTY !== true) return work;
  const say = () => terminal.note(terminal.notePaint.dim(escapeLine(`Waiting for ${what}; Ctrl-C ends it.`)));
  const late = setTimeout(say, patienceMs);
  try {
    return await work;
  } finally {
    clearTimeout(late);
  }
}
