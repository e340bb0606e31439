export type EnvelopeProblem = "too-deep" | "duplicate-key" | "duplicate-param" | "look-alike-key";

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Scans JSON text before it is parsed, for problems that `JSON.parse` accepts: nesting that
 * exhausts the stack, and an envelope that names a member twice, or in letters that some
 * parsers read as the same member, so that two of them could disagree about the request. The same for
 * the members of `params` by which requests are routed and allowed, where only a repeated name counts.
 * A look-alike member, or one of `params`, is reported only after the whole text was scanned, so the depth is known by then
 * and the text can be parsed for its id.
 *
 * Malformed text is left to the parser, which reports it.
 */
export function scanEnvelope(text: string, maxDepth: number): EnvelopeProblem | undefined {
  const keys = new EnvelopeKeys();
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) {
      const end = endOfString(text, at);
      if (end < 0) return undefined;
      if (keys.repeats(text, at, end, depth)) return "duplicate-key";
      at = end;
    } else if (char === openBrace || char === openBracket) {
      if (++depth > maxDepth) return "too-deep";
      keys.open(char, depth);
    } else if (char === closeBrace || char === closeBracket) depth--;
    else if (char === comma) keys.separate(depth);
  }
  return keys.problem;
}

const guarded: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);
const longestGuarded = 7;

/** The members of `params` by which a proxy, or an access rule, may judge a request. */
const guardedParams = ["name", "arguments", "_meta", "uri", "taskId", "requestState"];
/** Every letter may be written as `\uXXXX`. */
const longestGuardedParam = 6 * "requestState".length;

/** The members of the current message, and of its params, that have been named so far. */
class EnvelopeKeys {
  #depth = 1;
  #seen: string[] = [];
  /** A bit for each of the guarded params. */
  #seenParams = 0;
  /** The depth at which the next string is a key; 0 where it is a value. */
  #keyDepth = 0;
  #namesParams = false;
  #insideParams = false;
  /** Kept until the whole text was scanned. */
  problem: EnvelopeProblem | undefined;

  open(char: number, depth: number): void {
    if (char === openBracket && depth === 1) this.#depth = 2;
    if (char !== openBrace) return;
    if (depth === this.#depth) {
      this.#seen = [];
      this.#beginMember();
    } else if (this.#namesParams && depth === this.#depth + 1) {
      this.#seenParams = 0;
      this.#insideParams = true;
      this.#keyDepth = depth;
    }
  }

  separate(depth: number): void {
    if (depth === this.#depth) this.#beginMember();
    else if (this.#insideParams && depth === this.#depth + 1) this.#keyDepth = depth;
  }

  repeats(text: string, start: number, end: number, depth: number): boolean {
    if (depth !== this.#keyDepth) return false;
    this.#keyDepth = 0;
    if (this.#insideParams) {
      if (end - start <= longestGuardedParam + 1) this.#nameParam(text, start, end);
      return false;
    }
    const key = keyAt(text, start, end);
    if (!guarded.has(key)) {
      if (looksGuarded(key)) this.problem = "look-alike-key";
      return false;
    }
    if (this.#seen.includes(key)) return true;
    this.#seen.push(key);
    this.#namesParams = key === "params";
    return false;
  }

  #beginMember(): void {
    this.#keyDepth = this.#depth;
    this.#namesParams = false;
    this.#insideParams = false;
  }

  #nameParam(text: string, start: number, end: number): void {
    const bit = 1 << paramAt(text, start, end);
    if (this.#seenParams & bit & ~1) this.problem ??= "duplicate-param";
    this.#seenParams |= bit;
  }
}

/** The number of a guarded param, from 1; 0 for any other. Makes no text of a key without escapes. */
function paramAt(text: string, start: number, end: number): number {
  const length = end - start - 1;
  for (let index = 0; index < guardedParams.length; index++) {
    const name = guardedParams[index] as string;
    if (name.length === length && text.startsWith(name, start + 1)) return index + 1;
  }
  return text.slice(start + 1, end).includes("\\") ? guardedParams.indexOf(keyAt(text, start, end)) + 1 : 0;
}

/**
 * True for a key that a case-insensitive parser reads as a member of the envelope.
 *
 * Upper case comes first: only it turns `ſ` (U+017F) into an `S`.
 */
function looksGuarded(key: string): boolean {
  return key.length <= longestGuarded && guarded.has(key.toUpperCase().toLowerCase());
}

/** Characters of a string that are read one by one, which is faster than a search where a string is short. */
const shortString = 32;

/** The index of the closing quote, or -1. Jumps from quote to quote in a long string, so that it costs little. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  for (const near = Math.min(end + shortString, text.length); end < near; end++) {
    const char = text.charCodeAt(end);
    if (char === quote) return end;
    if (char === backslash) end++;
  }
  end = text.indexOf('"', end);
  while (end > 0) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
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
