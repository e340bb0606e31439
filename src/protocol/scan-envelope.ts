export type EnvelopeProblem = "too-deep" | "too-many" | "duplicate-key" | "look-alike-key";

/** The most strings, lists and objects of a message: a parser may take a second for a million of them. */
export const maxParts = 1_000_000;
/** The most commas of a message, which stand between values of any kind: numbers cost a parser less. */
export const maxValues = 5_000_000;

export interface EnvelopeScan {
  readonly problem: EnvelopeProblem | undefined;
  /** The members of all objects in the params, at any depth; a parser finds fewer of them where one is named twice. */
  readonly paramMembers: number;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Scans JSON text before it is parsed, for problems that `JSON.parse` accepts: nesting that
 * exhausts the stack, parts without end, and an envelope that names a member twice, or in letters that some
 * parsers read as the same member, so that two of them could disagree about the request. Counts the members of the
 * params, for the same reason.
 * A look-alike member is reported only after the whole text was scanned, so the depth is known by then
 * and the text can be parsed for its id.
 *
 * Malformed text is left to the parser, which reports it.
 */
export function scanEnvelope(text: string, maxDepth: number): EnvelopeScan {
  const keys = new EnvelopeKeys();
  let depth = 0;
  for (let at = 0; at < text.length && keys.problem !== "too-many"; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) {
      const end = endOfString(text, at);
      if (end < 0) break;
      if (keys.repeats(text, at, end, depth)) return keys.end("duplicate-key");
      at = end;
    } else if (char === openBrace || char === openBracket) {
      if (++depth > maxDepth) return keys.end("too-deep");
      keys.open(char, depth);
    } else if (char === closeBrace || char === closeBracket) depth--;
    else keys.punctuate(char, depth);
  }
  return keys;
}

const guarded = ["jsonrpc", "id", "method", "params", "result", "error"];
const paramsNumber = /* @__PURE__ */ guarded.indexOf("params");
const longestGuarded = "jsonrpc".length;
/** Every letter may be written as `\uXXXX`. */
const longestSpelling = 6 * longestGuarded;

/** The members of the current message that have been named so far. */
class EnvelopeKeys implements EnvelopeScan {
  #depth = 1;
  /** A bit for each of the guarded names. */
  #seen = 0;
  /** The depth at which the next string is a key; 0 where it is a value. */
  #keyDepth = 0;
  #namesParams = false;
  #insideParams = false;
  #parts = 0;
  #values = 0;
  paramMembers = 0;
  problem: EnvelopeProblem | undefined;

  /** Ends the scan. */
  end(problem: EnvelopeProblem): this {
    this.problem = problem;
    return this;
  }

  open(char: number, depth: number): void {
    this.#countPart();
    if (char === openBracket && depth === 1) this.#depth = 2;
    if (depth === this.#depth) {
      if (char !== openBrace) return;
      this.#seen = 0;
      this.#beginMember();
    } else if (this.#namesParams) this.#insideParams = true;
  }

  /** Takes any other character outside of strings. */
  punctuate(char: number, depth: number): void {
    if (char === colon && this.#insideParams) this.paramMembers++;
    else if (char === comma) {
      if (++this.#values > maxValues) this.problem = "too-many";
      if (depth === this.#depth) this.#beginMember();
    }
  }

  repeats(text: string, start: number, end: number, depth: number): boolean {
    this.#countPart();
    if (depth !== this.#keyDepth) return false;
    this.#keyDepth = 0;
    const number = findPlain(text, start + 1, end);
    return number < 0 ? this.#repeatsUnusual(text, start, end) : this.#name(number);
  }

  /** Takes a name that is escaped, or not of the envelope. */
  #repeatsUnusual(text: string, start: number, end: number): boolean {
    if (end - start > longestSpelling + 1) return false;
    const key = keyAt(text, start, end);
    const number = guarded.indexOf(key);
    if (number >= 0) return this.#name(number);
    if (isLookAlike(key)) this.problem = "look-alike-key";
    return false;
  }

  #name(number: number): boolean {
    const bit = 1 << number;
    if (this.#seen & bit) return true;
    this.#seen |= bit;
    this.#namesParams = number === paramsNumber;
    return false;
  }

  #countPart(): void {
    if (++this.#parts > maxParts) this.problem = "too-many";
  }

  #beginMember(): void {
    this.#keyDepth = this.#depth;
    this.#namesParams = false;
    this.#insideParams = false;
  }
}

/** The number of the guarded name that stands at a place without escapes; -1 for any other. Makes no text of it. */
function findPlain(text: string, start: number, end: number): number {
  for (let number = 0; number < guarded.length; number++) {
    const name = guarded[number] as string;
    if (name.length === end - start && text.startsWith(name, start)) return number;
  }
  return -1;
}

/**
 * True for a key that is no member of the envelope, but one to a case-insensitive parser.
 *
 * Upper case comes first: only it turns `ſ` (U+017F) into an `S`.
 */
export function isLookAlike(key: string): boolean {
  if (key.length > longestGuarded || guarded.includes(key)) return false;
  return guarded.includes(key.toUpperCase().toLowerCase());
}

/** The index of the closing quote, or -1. Jumps from quote to quote, which the engine does fast. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscapedAt(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscapedAt(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
  return slashes % 2 === 1;
}

/** An escaped spelling (`"\u0069d"`) is the same key to a parser. */
function keyAt(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  if (!raw.includes("\\")) return raw;
  try {
    return JSON.parse(text.slice(start, end + 1)) as string;
  } catch {
    // Not JSON: the parser reports it.
    return raw;
  }
}
