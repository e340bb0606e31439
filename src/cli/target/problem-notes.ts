import type { ConnectOptions } from "allspeak/client";
import { escapeLine, shorten } from "../show/escape.ts";
import type { Terminal } from "../terminal/terminal.ts";

const maxNotes = 5;
const maxNoteLength = 1_000;

/**
 * Shows problems that stop nothing: with `--debug` every one, else a few faults of the server's messages, such as
 * items of a list that were left out.
 */
export function createProblemNotes(
  terminal: Terminal,
  isDebug: boolean,
): NonNullable<ConnectOptions["onProblem"]> {
  let left = maxNotes;
  return (problem) => {
    const isFault = "code" in problem && problem.code === "invalid-response";
    if (!isDebug && (!isFault || left-- <= 0)) return;
    const hint = !isDebug && left === 0 ? " (--debug shows all further problems)" : "";
    const said = shorten(escapeLine(problem.message), maxNoteLength);
    terminal.note(terminal.notePaint.yellow(`problem: ${said}${hint}`));
  };
}
