import { maxColumns, type Table } from "./to-table.ts";

const separators: Readonly<Record<string, string>> = {
  "text/csv": ",",
  "text/tab-separated-values": "\t",
};

/** The rows of a CSV text under the names of its first line; undefined where the text is no table. */
export function parseCsv(text: string, mimeType: string): Table | undefined {
  const separator = separators[mimeType.split(";")[0]?.trim().toLowerCase() ?? ""];
  if (separator === undefined) return;
  const [names, ...lines] = linesOf(text, separator);
  if (names === undefined || names.length > maxColumns || lines.length === 0) return;
  const columns = names.map((name, at) =>
    name === "" || names.indexOf(name) < at ? `${name} (${at + 1})` : name,
  );
  const rows = lines.map((line) => Object.fromEntries(columns.map((column, at) => [column, line[at]])));
  return { columns, rows };
}

function linesOf(text: string, separator: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  const value = new RegExp(`(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator}|\\r?\\n|\\r|$)`, "gy");
  for (const [whole, quoted, plain = "", end] of text.matchAll(value)) {
    if (whole === "" && line.length === 0) break;
    line.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === separator) continue;
    lines.push(line);
    line = [];
  }
  return lines;
}
