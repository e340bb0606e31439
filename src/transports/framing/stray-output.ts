import { maxDepth } from "../../protocol/parse.ts";
import { endOfString, scanEnvelope } from "../../protocol/scan-envelope.ts";
import type { EnvelopeReader } from "./envelope-reader.ts";

const maxShownLength = 200;
const maxCandidates = 4;
/** A longer line of JSON is not part of a log. */
const maxStrayJson = 65_536;
const mark = "\ufeff";
// Log lines such as `[info] ready` and `{ port: 3000 }` don't match; a JSON batch or object does.
const opening = /^[\ufeff\s]*(?:\{\s*["}]|\[\s*[{\]])/;
const member = /\{\s*"(?:jsonrpc|id|method|params|result|error)"\s*:/g;

/** Returns whether a line begins like a message; the parser checks the rest. */
export function startsMessage(line: string): boolean {
  return line.startsWith('{"') || opening.test(line);
}

/** Finds the message at the end of a line that begins with other output, such as `Loading...{"jsonrpc":`. */
function findMessage(line: string): string | undefined {
  if (startsMessage(line)) return line;
  if (!line.trimEnd().endsWith("}")) return undefined;
  member.lastIndex = 0;
  // The cap keeps a line with many openings from being read once for each.
  for (let tried = 0; tried < maxCandidates; tried++) {
    const found = member.exec(line);
    if (found === null) return undefined;
    const rest = line.slice(found.index);
    if (isBalanced(rest) && isCompleteJson(rest)) return rest;
  }
  return undefined;
}

/**
 * True for JSON that nobody meant as a message, such as a line of a log.
 *
 * Without its version, only something with a result or an error can be a message, to which a request of ours belongs.
 */
function isStrayJson(line: string): boolean {
  if (line.length > maxStrayJson || line.includes('"jsonrpc"')) return false;
  try {
    const value: unknown = JSON.parse(line.startsWith(mark) ? line.slice(1) : line);
    return !Object.keys(Object(value)).some((name) => name === "result" || name === "error");
  } catch {
    // The parser of messages says what is wrong.
    return false;
  }
}

/** True if the brackets of a text close at its end and not before; a look that costs less than a parser. */
function isBalanced(text: string): boolean {
  const last = text.trimEnd().length - 1;
  let depth = 0;
  for (let at = 0; at <= last; at++) {
    const char = text[at];
    if (char === '"') {
      at = endOfString(text, at);
      if (at < 0) return false;
    } else if (char === "{" || char === "[") {
      if (++depth > maxDepth) return false;
    } else if ((char === "}" || char === "]") && --depth === 0) return at === last;
  }
  return false;
}

/** False for JSON that is nested too deep, too: a parser needs memory for each level. The parser of messages refuses one of too many parts. */
export function isCompleteJson(text: string): boolean {
  const { problem } = scanEnvelope(text, maxDepth);
  if (problem === "too-deep" || problem === "too-many") return problem === "too-many";
  try {
    JSON.parse(text.startsWith(mark) ? text.slice(1) : text);
    return true;
  } catch {
    return false;
  }
}

/** Stray lines of one connection that are reported one by one. */
const maxReported = 10;

/**
 * The output of a server that is not a message, such as a line of a log: a client reads the messages between it.
 *
 * Reports the first lines, and counts the others for one report at the end.
 */
export class StrayOutput {
  readonly #report: (text: string) => void;
  #count = 0;
  #first: string | undefined;

  constructor(report: (text: string) => void) {
    this.#report = report;
  }

  /** The first line, as it may be shown. */
  get first(): string | undefined {
    return this.#first;
  }

  findMessage(line: string): string | undefined {
    return findMessage(line);
  }

  /** Returns whether a line of which only this is known is no message. */
  includes({ id, opening }: Pick<EnvelopeReader, "id" | "opening">): boolean {
    return id === undefined && !startsMessage(opening);
  }

  /** Takes a line; returns its message, which may follow other output. */
  takeMessage(line: string): string | undefined {
    const found = findMessage(line);
    const message = found === line && isStrayJson(line) ? undefined : found;
    this.add(line.slice(0, line.length - (message?.length ?? 0)));
    return message;
  }

  add(text: string): void {
    if (text.trim() === "" || ++this.#count > maxReported) return;
    const shown = sanitizeStrayOutput(text);
    this.#first ??= shown;
    this.#report(shown);
  }

  /** Reports how many lines were only counted. */
  end(): void {
    const more = this.#count - maxReported;
    this.#count = 0;
    if (more > 0)
      this.#report(`${more} more ${more === 1 ? "line" : "lines"} after the first ${maxReported}`);
  }
}

/** Stray output for the log: cut short, and without control characters that a terminal would obey. */
export function sanitizeStrayOutput(text: string): string {
  const shown = text.trim();
  const cut = shown.length > maxShownLength ? `${shown.slice(0, maxShownLength - 1)}…` : shown;
  return cut.replace(/\p{Cc}/gu, "\ufffd");
}
