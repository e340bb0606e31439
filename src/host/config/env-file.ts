/** Reads `NAME=value` lines: comments, `export`, and quotes around values are allowed; nothing is filled in. */
export function parseEnvFile(text: string): Readonly<Record<string, string>> {
  const read: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const found = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (found) read[found[1] ?? ""] = unquote(found[2] ?? "");
  }
  return read;
}

function unquote(value: string): string {
  const quoted = /^(["'])(.*)\1(?:\s+#.*)?$/.exec(value);
  if (quoted === null) return value.replace(/(?:^|\s+)#.*$/, "");
  const [, quote, inner = ""] = quoted;
  return quote === '"' ? inner.replaceAll("\\n", "\n").replaceAll('\\"', '"') : inner;
}
