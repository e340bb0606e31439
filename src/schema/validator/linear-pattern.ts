import { badPattern, type CompilePattern, type MatchesPattern } from "./pattern.ts";
import type { ValidationRun } from "./run.ts";

type Engine = typeof import("re2js").RE2JS;

/** Program size of all patterns of one schema; compiling takes about two microseconds each. */
const maxProgram = 5_000;
const maxLength = 4_096;
/** Characters times program size of one match; the slowest take 60 ns each. */
const maxMatch = 300_000;
const stepsPerMs = 5_000;
const worstSteps = 0.3;
const firstSteps = 2_000;
const leastSteps = 4;

/** A pattern compiler for one untrusted schema: matches in linear time, and charges the run for it. */
export function createLinearPatterns(engine: Engine): CompilePattern {
  let program = 0;
  return (source) => {
    program += source.length > maxLength ? maxProgram + 1 : programSize(source);
    if (program > maxProgram) throw badPattern(source, "is too large");
    const { lookaheads, rest } = splitLookaheads(source);
    const main = matcher(source, rest, engine);
    const guards = lookaheads.map(({ body, wanted }) => ({
      matches: matcher(source, `^(?:${body})`, engine),
      wanted,
    }));
    return (text, run) =>
      guards.every(({ matches, wanted }) => matches(text, run) === wanted) && main(text, run);
  };
}

function matcher(source: string, pattern: string, engine: Engine): MatchesPattern {
  let expression: InstanceType<Engine>;
  try {
    expression = engine.compile(engine.translateRegExp(pattern));
  } catch {
    throw badPattern(source, "can't be matched in linear time");
  }
  const size = expression.programSize();
  // The engine prepares itself at the first match.
  let prepare = firstSteps;
  return (text, run) => {
    const work = (text.length + 8) * size;
    if (work > maxMatch) run.spend(Number.POSITIVE_INFINITY);
    const most = work * worstSteps + prepare;
    prepare = 0;
    return charge(run, most, () => expression.test(text));
  };
}

/** The worst case is rare, so real time is charged; a pause of the machine counts at most as the worst case. */
function charge(run: ValidationRun, most: number, match: () => boolean): boolean {
  const start = performance.now();
  const matched = match();
  const steps = (performance.now() - start) * stepsPerMs;
  run.spend(leastSteps + Math.min(steps, most));
  return matched;
}

/** An upper bound, found without compiling: repetition counts multiply what they repeat. */
function programSize(source: string): number {
  const open: number[] = [];
  let total = 0;
  let atom = 0;
  for (const [token, least, most] of source.matchAll(tokenPattern)) {
    if (token === "(") {
      open.push(total);
      atom = total = 0;
    } else if (token === ")") {
      atom = total + 2;
      total = (open.pop() ?? 0) + atom;
    } else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? least)) + 1;
      total += atom * (times - 1);
      atom *= times;
    } else {
      atom = 2 + 60 * (token.match(/\\p/gi)?.length ?? 0);
      total += atom;
    }
    if (total > maxProgram) break;
  }
  return open.reduce((sum, size) => sum + size, total) + 8;
}

// Every branch consumes what it scans: this runs on untrusted text.
const tokenPattern = /\\[pP]\{[^}]*\}?|\\.|\[(?:\\.|[^\]\\])*\]?|\{(\d{1,4}),?(\d{0,4})\}|[\s\S]/g;

/** Splits `^(?!a)(?=b)c`, which validators emit for addresses, into parts that need no lookahead. */
function splitLookaheads(source: string): { lookaheads: { body: string; wanted: boolean }[]; rest: string } {
  const lookaheads: { body: string; wanted: boolean }[] = [];
  let rest = source;
  while (/^\^\(\?[!=]/.test(rest) && !hasAlternatives(rest)) {
    const end = closingParenthesis(rest);
    lookaheads.push({ body: rest.slice(4, end), wanted: rest[3] === "=" });
    rest = `^${rest.slice(end + 1)}`;
  }
  return { lookaheads, rest };
}

function closingParenthesis(source: string): number {
  return findAtDepth(")", 1, source) ?? source.length;
}

function hasAlternatives(source: string): boolean {
  return findAtDepth("|", 0, source) !== undefined;
}

function findAtDepth(wanted: string, level: number, source: string): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of source.matchAll(tokenPattern)) {
    if (token === wanted && depth === level) return index;
    if (token === "(") depth++;
    if (token === ")") depth--;
  }
  return undefined;
}
