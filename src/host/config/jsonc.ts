import { UsageError } from "../../errors.ts";

/** Reads JSON as editors write it: with comments, trailing commas and a byte order mark. Throws UsageError with the line. */
export function parseJsonc(text: string, what: string): unknown {
  const plain = toPlainJson(text.replace(/^\uFEFF/, ""));
  try {
    return JSON.parse(plain);
  } catch (error) {
    throw new UsageError(`${what} is not JSON: ${describe(error, plain)}`, { cause: error });
  }
}

/** The text with comments and trailing commas blanked, so that every place keeps its line and column. */
function toPlainJson(text: string): string {
  const kept: string[] = [];
  let at = 0;
  for (const found of text.matchAll(/"(?:[^"\\]|\\[\s\S])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g)) {
    kept.push(blankTrailingCommas(text.slice(at, found.index)));
    const [part] = found;
    kept.push(part.startsWith('"') ? part : part.replace(/[^\n]/g, " "));
    at = found.index + part.length;
  }
  kept.push(blankTrailingCommas(text.slice(at)));
  return blankTrailingCommasBetween(kept);
}

function blankTrailingCommas(text: string): string {
  return text.replace(/,(?=\s*[}\]])/g, " ");
}

/** Blanks a comma that only comments separate from the bracket after it. */
function blankTrailingCommasBetween(parts: string[]): string {
  let next = "";
  for (let index = parts.length - 1; index >= 0; index--) {
    const part = parts[index] ?? "";
    if (/^\s*[}\]]/.test(next)) parts[index] = part.replace(/,(\s*)$/, " $1");
    if (part.trim() !== "") next = part;
  }
  return parts.join("");
}

/** The engine's message with the line and the column, and without the text of the file, which may hold secrets. */
function describe(error: unknown, text: string): string {
  const position = /position (\d+)/.exec(String(error))?.[1];
  if (position === undefined) return "it ends too early, or has a stray character.";
  const before = text.slice(0, Number(position)).split("\n");
  return `unexpected character in line ${before.length}, column ${(before.at(-1) ?? "").length + 1}.`;
}
