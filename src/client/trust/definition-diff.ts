import { isObject } from "../../lib/json.ts";

const maxDepth = 64;
const maxLeaves = 5_000;
const maxLines = 200;
/** The number of characters of a long value that are shown around a difference. */
const context = 40;
/** A change this small may be of one letter into another that looks the same. */
const small = 8;

/** Characters that people can't see, or that change how others are displayed. */
const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
const beyondAscii = /[^\x20-\x7e]/gu;

/** The lines that differ between two definitions, `- ` before and `+ ` after, with nothing in them that can't be seen. */
export function diffDefinitions(before: unknown, after: unknown): readonly string[] {
  const old = flatten(before);
  const now = flatten(after);
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  const lines = paths.flatMap((path) => diffAt(path, old.get(path), now.get(path)));
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), `… and ${lines.length - maxLines} more lines`];
}

/** Text with invisible characters written out, such as `\u{200b}`. */
export function escapeInvisible(text: string): string {
  return text.replace(unseen, toEscape);
}

function diffAt(path: string, before: string | undefined, after: string | undefined): string[] {
  if (before === after) return [];
  const [old, now] = before === undefined || after === undefined ? [before, after] : excerpts(before, after);
  return [
    ...(old === undefined ? [] : [`- ${path}: ${show(old)}`]),
    ...(now === undefined ? [] : [`+ ${path}: ${show(now)}`]),
  ];
}

interface Excerpt {
  readonly lead: string;
  readonly changed: string;
  readonly rest: string;
}

function show(part: string | Excerpt): string {
  if (typeof part === "string") return escapeInvisible(part.length > 400 ? `${part.slice(0, 400)}…` : part);
  const { lead, changed, rest } = part;
  const middle = changed.length <= small ? changed.replace(beyondAscii, toEscape) : escapeInvisible(changed);
  return escapeInvisible(lead) + middle + escapeInvisible(rest);
}

/** Two values cut down to where they differ. */
function excerpts(before: string, after: string): [Excerpt, Excerpt] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  // A letter of two halves stays whole.
  if (start > 0 && isLead(before.charCodeAt(start - 1))) start--;
  if (
    end > 0 &&
    !isLead(before.charCodeAt(before.length - end - 1)) &&
    isTrail(before.charCodeAt(before.length - end))
  )
    end--;
  return [cut(before, start, end), cut(after, start, end)];
}

function cut(text: string, start: number, end: number): Excerpt {
  const from = Math.max(0, start - context);
  const to = Math.min(text.length, text.length - end + context);
  return {
    lead: (from > 0 ? "…" : "") + text.slice(from, start),
    changed: text.slice(start, text.length - end),
    rest: text.slice(text.length - end, to) + (to < text.length ? "…" : ""),
  };
}

function isLead(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isTrail(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

function toEscape(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Each value of a definition by its path, such as `inputSchema.properties.city.type`. */
function flatten(value: unknown): Map<string, string> {
  const leaves = new Map<string, string>();
  const visit = (node: unknown, path: string, depth: number): void => {
    if (leaves.size >= maxLeaves) return;
    const members = toMembers(node);
    if (members === undefined || members.length === 0 || depth > maxDepth) {
      leaves.set(escapeInvisible(path), JSON.stringify(node) ?? "undefined");
      return;
    }
    for (const [name, member] of members) visit(member, path === "" ? name : `${path}.${name}`, depth + 1);
  };
  visit(value, "", 0);
  return leaves;
}

function toMembers(node: unknown): [string, unknown][] | undefined {
  return Array.isArray(node) || isObject(node) ? Object.entries(node) : undefined;
}
