import type { Progress } from "allspeak/client";
import { escapeLine } from "../show/escape.ts";
import type { Terminal } from "./terminal.ts";

const widestBar = 24;
const clearLine = "\r\u001b[2K";

/** The progress of a call on the last line of a terminal: a bar where the total is known, else the number. */
export class ProgressLine {
  readonly #terminal: Terminal;
  #isShown = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(progress: Progress): void {
    this.#terminal.streams.stderr.write(`${clearLine}${this.#render(progress)}`);
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.#terminal.streams.stderr.write(clearLine);
    this.#isShown = false;
  }

  #render({ progress, total, message }: Progress): string {
    const { notePaint: paint, streams } = this.#terminal;
    const width = (streams.stderr.columns || 80) - 1;
    const said = message === undefined ? "" : escapeLine(message);
    if (total === undefined || !(total > 0)) return cut(`… ${progress} ${said}`, width);
    const share = Math.min(1, Math.max(0, progress / total));
    const barWidth = Math.max(0, Math.min(widestBar, width - " 100 %".length));
    const filled = Math.round(share * barWidth);
    const bar = paint.cyan("█".repeat(filled)) + paint.dim("░".repeat(barWidth - filled));
    const rest = ` ${String(Math.round(share * 100)).padStart(3)} % ${said}`;
    return bar + cut(rest, width - barWidth);
  }
}

/** Cut to the width, so that the line never breaks: only one line is cleared. */
function cut(text: string, width: number): string {
  return [...text].slice(0, Math.max(0, width)).join("");
}
