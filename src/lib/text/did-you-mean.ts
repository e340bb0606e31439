// A longer name is hardly a typing error.
const longestCompared = 64;

/** Pairs of characters that one lookup compares: strangers choose the name, and servers the names that it may be. */
const maxComparisons = 200_000;

// Further than one edit, and closer than two.
const continuation = 1.5;

/** The comparisons that a lookup may still make. */
interface Work {
  left: number;
}

/** The hint `; did you mean "x"?` for a misspelled name; empty if no name is close. */
export function didYouMean(name: string, names: readonly string[]): string {
  if (name.length > longestCompared) return "";
  const given = name.toLowerCase();
  const work: Work = { left: maxComparisons };
  let closest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of names) {
    if (candidate.length > longestCompared) continue;
    const distance = distanceOf(given, candidate.toLowerCase(), least, work);
    if (distance >= least) continue;
    least = distance;
    closest = candidate;
  }
  return closest === undefined ? "" : `; did you mean "${closest}"?`;
}

/**
 * The number of edits between two names; infinite if it is not below `least`, or the names are not close.
 *
 * A name that continues the other, as `inputSchema` does `input`, is close.
 */
function distanceOf(a: string, b: string, least: number, work: Work): number {
  const shorter = Math.min(a.length, b.length);
  // Names that would have nothing in common, as those of one letter, are not close.
  const limit = Math.min(Math.max(1, Math.floor(b.length / 3)), shorter - 1, Math.ceil(least) - 1);
  const isContinued = shorter > 3 && (a.startsWith(b) || b.startsWith(a));
  const edits = editDistance(a, b, limit, work);
  return isContinued ? Math.min(edits, continuation) : edits;
}

/**
 * The insertions, deletions, substitutions and swaps of two neighbours that make `b` of `a` (optimal string alignment);
 * infinite if there are more than `limit`.
 */
function editDistance(a: string, b: string, limit: number, work: Work): number {
  const tooFar = Number.POSITIVE_INFINITY;
  if (Math.abs(a.length - b.length) > limit) return tooFar;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    work.left -= b.length;
    // No later row has less than the least of the one before it.
    if (work.left < 0 || Math.min(...row) > limit) return tooFar;
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swap =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : tooFar;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution, swap));
    }
    before = row;
    row = next;
  }
  const edits = row[b.length] ?? 0;
  return edits > limit ? tooFar : edits;
}
