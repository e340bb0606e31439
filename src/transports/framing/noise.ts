const maxNoiseLength = 200;
const maxCandidates = 4;
const mark = "\ufeff";
// `[info] ready` and `{ port: 3000 }` are what logs look like; a batch or an object in JSON goes on like this.
const opening = /^[\ufeff\s]*(?:\{\s*["}]|\[\s*[{\]])/;
const member = /\{\s*"(?:jsonrpc|id|method|params|result|error)"\s*:/g;

/** Whether a line begins as a message does. What follows is the parser's business. */
export function startsMessage(line: string): boolean {
  return line.startsWith('{"') || opening.test(line);
}

/** The message at the end of a line that begins with something else, such as `Loading...{"jsonrpc":`. */
export function findMessage(line: string): string | undefined {
  if (startsMessage(line)) return line;
  if (!line.trimEnd().endsWith("}")) return undefined;
  member.lastIndex = 0;
  // The cap keeps a line full of openings from being parsed once for each.
  for (let tried = 0; tried < maxCandidates; tried++) {
    const found = member.exec(line);
    if (found === null) return undefined;
    const rest = line.slice(found.index);
    if (isCompleteJson(rest)) return rest;
  }
  return undefined;
}

export function isCompleteJson(text: string): boolean {
  try {
    JSON.parse(text.startsWith(mark) ? text.slice(1) : text);
    return true;
  } catch {
    return false;
  }
}

/** Noise as it is reported: enough to recognise it, and nothing that a terminal would obey. */
export function sanitizeNoise(text: string): string {
  const shown = text.trim();
  const cut = shown.length > maxNoiseLength ? `${shown.slice(0, maxNoiseLength - 1)}…` : shown;
  return cut.replace(/\p{Cc}/gu, "\ufffd");
}
