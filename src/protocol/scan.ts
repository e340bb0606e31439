export type ScanProblem = "too-deep" | "duplicate-key";

const quote = 0x22;
const backslash = 0x5c;
const guardedKeys: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);

/**
 * Looks over JSON text before it is parsed, for what `JSON.parse` would let pass:
 * nesting that exhausts the stack, and an envelope that names a member twice (two
 * parsers could then disagree about what was asked).
 *
 * Malformed text is not its business; the parser reports that.
 */
export function scanEnvelope(text: string, maxDepth: number): ScanProblem | undefined {
  let depth = 0;
  let envelopeDepth = 1;
  let seen: string[] = [];
  let expectsKey = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at);
        if (end < 0) return undefined;
        if (expectsKey && depth === envelopeDepth) {
          const key = keyAt(text, at, end);
          if (key !== undefined) {
            if (seen.includes(key)) return "duplicate-key";
            seen.push(key);
          }
          expectsKey = false;
        }
        at = end;
        break;
      }
      case 0x5b: // [
        if (depth === 0) envelopeDepth = 2;
        if (++depth > maxDepth) return "too-deep";
        break;
      case 0x7b: // {
        if (++depth > maxDepth) return "too-deep";
        if (depth === envelopeDepth) {
          seen = [];
          expectsKey = true;
        }
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case 0x2c: // ,
        if (depth === envelopeDepth) expectsKey = true;
        break;
    }
  }
  return undefined;
}

/** The index of the closing quote, or -1. Jumps from quote to quote, so long strings cost little. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

/** The envelope member that a string names, undefined for any other. */
function keyAt(text: string, start: number, end: number): string | undefined {
  const raw = text.slice(start + 1, end);
  // An escaped spelling (`"\u0069d"`) is the same key to a parser.
  const key = raw.includes("\\") ? unescapeKey(text.slice(start, end + 1)) : raw;
  return guardedKeys.has(key) ? key : undefined;
}

function unescapeKey(literal: string): string {
  try {
    return JSON.parse(literal) as string;
  } catch {
    // Not JSON: the parser reports it.
    return literal;
  }
}
