// The comparison takes quadratic time, and a longer name is hardly a typing error.
const longestCompared = 64;

// Further than one edit, and closer than two.
const continuation = 1.5;

/** The hint `; did you mean "x"?` for a misspelled name; empty if no name is close. */
export function didYouMean(name: string, names: readonly string[]): string {
  const given = name.toLowerCase();
  let closest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of names) {
    const distance = distanceOf(given, candidate.toLowerCase());
    if (distance >= least || distance > Math.max(continuation, Math.floor(candidate.length / 3))) continue;
    // Names that have nothing in common, as those of one letter.
    if (distance >= Math.min(given.length, candidate.length)) continue;
    least = distance;
    closest = candidate;
  }
  return closest === undefined ? "" : `; did you mean "${closest}"?`;
}

/** The number of edits between two names. A name that continues the other, as `inputSchema` does `input`, is close. */
function distanceOf(a: string, b: string): number {
  if (a.length > longestCompared || b.length > longestCompared) return Number.POSITIVE_INFINITY;
  const isContinued = Math.min(a.length, b.length) > 3 && (a.startsWith(b) || b.startsWith(a));
  const edits = editDistance(a, b);
  return isContinued ? Math.min(edits, continuation) : edits;
}

/** The insertions, deletions, substitutions and swaps of two neighbours that make `b` of `a` (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swap =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (before[j - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution, swap));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
