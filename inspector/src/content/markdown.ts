/** A small Markdown: blocks and spans as data, never HTML. Each line and each character is read a bounded number of times. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly spans: readonly Span[] }
  | { readonly kind: "paragraph"; readonly spans: readonly Span[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: readonly (readonly Span[])[] }
  | { readonly kind: "table"; readonly rows: readonly (readonly (readonly Span[])[])[] }
  | { readonly kind: "rule" };

export type Span =
  | { readonly kind: "text" | "code" | "strong" | "emphasis"; readonly text: string }
  | { readonly kind: "link" | "image"; readonly text: string; readonly url: string };

const fence = /^ {0,3}(```+|~~~+)\s*([\w+-]*)/;
const heading = /^ {0,3}(#{1,6})[ \t](.*)$/s;
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const bullet = /^\s{0,8}(?:[-*+]|(\d{1,9})[.)])[ \t](.*)$/s;
const separator = /^\|?[ \t]*:?-{2,}[-|:\s]*$/;

export function parseMarkdown(text: string, depth = 0): readonly Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const [block, next] = line.trim() === "" ? [undefined, at + 1] : parseBlock(lines, at, depth);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

function parseBlock(lines: readonly string[], at: number, depth: number): readonly [Block, number] {
  const line = lines[at] ?? "";
  const fenced = fence.exec(line);
  if (fenced) return parseCode(lines, at, fenced);
  const titled = heading.exec(line);
  if (titled)
    return [
      { kind: "heading", level: titled[1]?.length ?? 1, spans: parseSpans(titled[2]?.trim() ?? "") },
      at + 1,
    ];
  if (rule.test(line)) return [{ kind: "rule" }, at + 1];
  if (line.startsWith(">") && depth < 4) return parseQuote(lines, at, depth);
  if (bullet.test(line)) return parseList(lines, at);
  if (line.includes("|") && separator.test((lines[at + 1] ?? "").trim())) return parseTable(lines, at);
  return parseParagraph(lines, at);
}

function parseCode(
  lines: readonly string[],
  at: number,
  [, mark = "", language = ""]: RegExpExecArray,
): readonly [Block, number] {
  let end = at + 1;
  while (end < lines.length && !lines[end]?.trimStart().startsWith(mark)) end += 1;
  return [{ kind: "code", language, text: lines.slice(at + 1, end).join("\n") }, end + 1];
}

function parseQuote(lines: readonly string[], at: number, depth: number): readonly [Block, number] {
  let end = at;
  while (lines[end]?.startsWith(">")) end += 1;
  const inside = lines.slice(at, end).map((line) => line.replace(/^> ?/, ""));
  return [{ kind: "quote", blocks: parseMarkdown(inside.join("\n"), depth + 1) }, end];
}

function parseList(lines: readonly string[], at: number): readonly [Block, number] {
  const items: string[] = [];
  let end = at;
  for (; end < lines.length && lines[end]?.trim() !== ""; end += 1) {
    const found = bullet.exec(lines[end] ?? "");
    if (found) items.push(found[2]?.trim() ?? "");
    else items[items.length - 1] += ` ${lines[end]?.trim()}`;
  }
  const isOrdered = bullet.exec(lines[at] ?? "")?.[1] !== undefined;
  return [{ kind: "list", isOrdered, items: items.map(parseSpans) }, end];
}

function parseTable(lines: readonly string[], at: number): readonly [Block, number] {
  const rows: (readonly (readonly Span[])[])[] = [cellsOf(lines[at] ?? "")];
  let end = at + 2;
  for (; end < lines.length && lines[end]?.includes("|"); end += 1) rows.push(cellsOf(lines[end] ?? ""));
  return [{ kind: "table", rows }, end];
}

function cellsOf(line: string): readonly (readonly Span[])[] {
  return line
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split("|")
    .map((cell) => parseSpans(cell.trim()));
}

function parseParagraph(lines: readonly string[], at: number): readonly [Block, number] {
  let end = at + 1;
  while (end < lines.length && isPlain(lines[end] ?? "")) end += 1;
  return [{ kind: "paragraph", spans: parseSpans(lines.slice(at, end).join("\n")) }, end];
}

function isPlain(line: string): boolean {
  return (
    line.trim() !== "" &&
    !fence.test(line) &&
    !heading.test(line) &&
    !bullet.test(line) &&
    !line.startsWith(">")
  );
}

const span =
  /`([^`\n]{1,2000})`|(!?)\[([^\]\n]{0,500})\]\(([^)\s]{1,2000})\)|\*\*([^*\n]{1,1000})\*\*|__([^_\n]{1,1000})__|\*([^*\s][^*\n]{0,1000})\*|(?<![\w/])_([^_\s][^_\n]{0,1000})_(?!\w)|(https?:\/\/[^\s<>"')\]]{1,2000})/g;

function parseSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(span)) {
    if (match.index > end) spans.push({ kind: "text", text: text.slice(end, match.index) });
    spans.push(toSpan(match));
    end = match.index + match[0].length;
  }
  if (end < text.length) spans.push({ kind: "text", text: text.slice(end) });
  return spans;
}

function toSpan([
  ,
  code,
  bang,
  label,
  url,
  strong,
  strong2,
  emphasis,
  emphasis2,
  bare,
]: RegExpMatchArray): Span {
  if (code !== undefined) return { kind: "code", text: code };
  if (url !== undefined) return { kind: bang ? "image" : "link", text: label ?? "", url };
  if (bare !== undefined) return { kind: "link", text: "", url: bare };
  const bold = strong ?? strong2;
  return bold !== undefined
    ? { kind: "strong", text: bold }
    : { kind: "emphasis", text: emphasis ?? emphasis2 ?? "" };
}
