const maxLength = 200;
/** A thrown error, as Node, Python and others print it. */
const thrown = /^(?:Uncaught )?[\w.]*(?:Error|Exception)\b/;
/** What Node prints after it. */
const aftermath = /^\s*(?:at |\^|\}?\s*$|Node\.js v)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be taken out.
const control = /\u001b\[[\d;]*[A-Za-z]|[\u0000-\u001f\u007f-\u009f]+/g;

/** Of the last lines of a process, the one that most likely says why it ended: short, and safe to show. */
export function lastErrorLine(lines: readonly string[]): string | undefined {
  const line =
    lines.findLast((candidate) => thrown.test(candidate)) ??
    lines.findLast((candidate) => !aftermath.test(candidate)) ??
    lines.at(-1);
  const clean = line?.replace(control, (found) => (found.startsWith("\u001b") ? "" : " ")).trim();
  return clean && clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean || undefined;
}
