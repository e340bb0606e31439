/** One challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  /** The scheme in lower case. */
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const maxLength = 16_384;
const tokenCharacter = /[!#$%&'*+.^_`|~0-9A-Za-z-]/;

/**
 * Reads a `WWW-Authenticate` header in one pass (RFC 9110, section 11.6.1).
 *
 * Skips what it cannot read: a malformed challenge must not hide one that follows it.
 */
export function parseChallenges(header: string): Challenge[] {
  const text = header.slice(0, maxLength);
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  while (at < text.length) {
    const word = readToken(text, at);
    if (word === "") {
      at++;
      continue;
    }
    at += word.length;
    const afterSpace = skipSpace(text, at);
    const current = challenges.at(-1);
    if (text[afterSpace] === "=" && current) {
      const value = readValue(text, skipSpace(text, afterSpace + 1));
      const name = word.toLowerCase();
      if (!current.parameters.has(name)) current.parameters.set(name, value.text);
      at = value.end;
    } else {
      challenges.push({ scheme: word.toLowerCase(), parameters: new Map() });
    }
  }
  return challenges;
}

/** Writes one challenge. Characters that a quoted string may not hold are left out (RFC 9110, section 5.6.4). */
export function formatChallenge(
  scheme: string,
  parameters: readonly (readonly [name: string, value: string | undefined])[],
): string {
  const written = parameters.flatMap(([name, value]) =>
    value === undefined ? [] : `${name}="${value.replace(/[^ !#-[\]-~]/g, "")}"`,
  );
  return written.length === 0 ? scheme : `${scheme} ${written.join(", ")}`;
}

function readToken(text: string, from: number): string {
  let end = from;
  while (end < text.length && tokenCharacter.test(text[end] as string)) end++;
  return text.slice(from, end);
}

function skipSpace(text: string, from: number): number {
  let end = from;
  while (text[end] === " " || text[end] === "\t") end++;
  return end;
}

function readValue(text: string, from: number): { readonly text: string; readonly end: number } {
  if (text[from] !== '"') {
    const token = readToken(text, from);
    return { text: token, end: from + token.length };
  }
  const read: string[] = [];
  let at = from + 1;
  for (; at < text.length && text[at] !== '"'; at++) {
    if (text[at] === "\\") at++;
    read.push(text[at] ?? "");
  }
  return { text: read.join(""), end: at + 1 };
}
