import { UsageError } from "../../errors.ts";
import type { StdioCommand } from "../../transports/stdio/stdio-command.ts";

/**
 * Splits a command line at spaces, as a shell would, and does nothing else that a shell does.
 *
 * Single and double quotes keep spaces; `\"` is a quote inside double quotes. Elsewhere
 * a backslash is itself, so Windows paths need no care.
 */
export function splitCommand(line: string): StdioCommand {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (char === '"' || char === "'") {
      const quoted = readQuoted(line, at);
      word = (word ?? "") + quoted.text;
      at = quoted.end;
    } else if (char.trim() === "") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (word !== undefined) words.push(word);
  const [command, ...args] = words;
  if (!command) throw new UsageError("The command is empty; name a program to start.");
  return { command, args };
}

function readQuoted(line: string, start: number): { text: string; end: number } {
  const quote = line.charAt(start);
  let text = "";
  for (let at = start + 1; at < line.length; at++) {
    const char = line.charAt(at);
    if (char === quote) return { text, end: at };
    if (quote === '"' && char === "\\" && line.charAt(at + 1) === '"') {
      text += '"';
      at++;
    } else {
      text += char;
    }
  }
  throw new UsageError(`The command has a ${quote} that is never closed: ${line}`);
}
