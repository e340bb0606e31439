import type { HistoryEntry, Limits } from "./history.ts";
import type { Violation } from "./violation.ts";

interface Event {
  /** When it was handed to the state, and when the state had it. */
  readonly begunAt: number;
  doneAt: number | undefined;
}

interface Reader {
  readonly client: string;
  readonly stream: string;
  readonly principal: string;
  readonly resumes: boolean;
  readonly resumesAtOnce: boolean;
  readonly since: number;
  readonly received: { readonly n: number; readonly at: number; readonly principal: string | undefined }[];
}

/** A time in which a client was told of no interruption. */
interface Connection {
  readonly from: number;
  readonly to: number;
}

/** The error of a call whose caller has waited too long: it reads no more, and events may be on their way. */
const givenUp = "TimeoutError";
/** The error of a call whose connection broke for good. */
const broken = "CallLostError";

/** Checks that each event which the state took reaches each reader once, in order, and no other reader. */
export function checkStreams(entries: readonly HistoryEntry[], limits: Limits): readonly Violation[] {
  const events = collectEvents(entries);
  const connections = collectConnections(entries);
  const leftAt = entries.find(({ kind }) => kind === "leaving")?.at ?? Number.POSITIVE_INFINITY;
  const refused = new Map(
    entries.flatMap((entry) => (entry.kind === "refused" ? [[entry.call, entry] as const] : [])),
  );
  return [
    ...collectReaders(entries).flatMap((reader) => {
      const mine = events.get(reader.stream) ?? new Map<number, Event>();
      const refusal = refused.get(reader.stream);
      const ofReader =
        refusal?.error === givenUp
          ? [{ from: 0, to: refusal.at }]
          : (connections.get(reader.client) ?? [{ from: 0, to: Number.POSITIVE_INFINITY }]);
      const since = Math.max(reader.since, firstOf(reader, mine));
      const mayBeCut = refusal?.error === broken && (!reader.resumes || reader.received.length === 0);
      return [
        // The stream of a call that broke before its first event, with or without a message, has no id to come back
        // with, and the caller was told. An answer, also an error, comes after all events, and is no such break.
        ...(mayBeCut ? [] : checkLost(reader, mine, { since, leftAt, connections: ofReader })),
        ...checkReceived(reader, mine),
      ];
    }),
    ...entries.flatMap((entry): Violation[] =>
      entry.kind === "interrupted" && entry.resumes
        ? [{ rule: "interrupted", what: `${entry.client} lost its session` }]
        : [],
    ),
    ...checkStall(entries, limits),
  ];
}

function collectEvents(entries: readonly HistoryEntry[]): Map<string, Map<number, Event>> {
  const streams = new Map<string, Map<number, Event>>();
  for (const entry of entries) {
    if (entry.kind !== "publishing" && entry.kind !== "published") continue;
    const stream = streams.get(entry.stream) ?? new Map<number, Event>();
    streams.set(entry.stream, stream);
    const event = stream.get(entry.n) ?? { begunAt: entry.at, doneAt: undefined };
    stream.set(entry.n, event);
    if (entry.kind === "published") event.doneAt = entry.at;
  }
  return streams;
}

/** The connections of each client that was told that it may have missed something, the last of them without an end. */
function collectConnections(entries: readonly HistoryEntry[]): Map<string, readonly Connection[]> {
  const all = new Map<string, readonly Connection[]>();
  const cuts = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === "cut") cuts.set(entry.client, cuts.get(entry.client) ?? entry.at);
    if (entry.kind !== "interrupted") continue;
    const { client, at } = entry;
    const known = all.get(client) ?? [{ from: 0, to: Number.POSITIVE_INFINITY }];
    const from = known.at(-1)?.from ?? 0;
    // A client that comes back by itself is told of it with the first event: it can't be said which came before.
    const last = { from, to: cuts.get(client) ?? from };
    all.set(client, [...known.slice(0, -1), last, { from: at, to: Number.POSITIVE_INFINITY }]);
    cuts.delete(client);
  }
  return all;
}

function collectReaders(entries: readonly HistoryEntry[]): readonly Reader[] {
  const readers = new Map<string, Reader>();
  for (const entry of entries) {
    if (entry.kind !== "subscribed" && entry.kind !== "received") continue;
    const { client, stream } = entry;
    const key = `${client} ${stream}`;
    const reader = readers.get(key);
    if (entry.kind === "subscribed") {
      const { principal, resumes = true, resumesAtOnce = true } = entry;
      const received: Reader["received"] = [];
      readers.set(key, { client, stream, principal, resumes, resumesAtOnce, since: entry.at, received });
    } else if (reader) reader.received.push({ n: entry.n, at: entry.at, principal: entry.principal });
    // An event of a stream that the client never asked for.
    else
      readers.set(key, {
        client,
        stream,
        principal: "",
        resumes: true,
        resumesAtOnce: true,
        since: entry.at,
        received: [{ n: entry.n, at: entry.at, principal: "another" }],
      });
  }
  return [...readers.values()];
}

/**
 * The time of the first event that a reader received, where a connection that broke before it can't be resumed: before
 * 2025-11-25 no event may come without a message, so that the client has no id until then, and the server can't know
 * what has arrived.
 */
function firstOf({ received: [first], resumesAtOnce }: Reader, events: ReadonlyMap<number, Event>): number {
  return resumesAtOnce || first === undefined ? 0 : (events.get(first.n)?.begunAt ?? 0);
}

interface Reading {
  readonly since: number;
  readonly leftAt: number;
  readonly connections: readonly Connection[];
}

/**
 * Checks the events that were begun after a time, and that the state had before the reader left. Those before an
 * interruption may be missing, since the client was told; but not from the middle of what came before it.
 */
function checkLost(
  reader: Reader,
  events: ReadonlyMap<number, Event>,
  { since, leftAt, connections }: Reading,
): Violation[] {
  const received = new Set(reader.received.map(({ n }) => n));
  const ends = connections.map(({ from, to }) => ({
    from: Math.max(from, since),
    upTo: to === Number.POSITIVE_INFINITY ? leftAt : lastBegun(reader, events, { from, to }),
  }));
  const lost = [...events].filter(
    ([n, { begunAt, doneAt = Number.POSITIVE_INFINITY }]) =>
      !received.has(n) && ends.some(({ from, upTo }) => begunAt > from && doneAt < upTo),
  );
  return lost.map(([n]) => ({
    rule: "lost",
    what: `${reader.client} misses event ${n} of ${reader.stream}`,
  }));
}

/** The time at which the newest event was begun that came by a connection. */
function lastBegun(
  { received }: Reader,
  events: ReadonlyMap<number, Event>,
  { from, to }: Connection,
): number {
  return received
    .filter(({ at }) => at > from && at < to)
    .reduce((last, { n }) => Math.max(last, events.get(n)?.begunAt ?? 0), 0);
}

function checkReceived(reader: Reader, events: ReadonlyMap<number, Event>): Violation[] {
  const { client, stream } = reader;
  const violations: Violation[] = [];
  const seen = new Set<number>();
  let newest = Number.NEGATIVE_INFINITY;
  for (const { n, principal } of reader.received) {
    const event = events.get(n);
    const what = `${client} received event ${n} of ${stream}`;
    if (principal !== undefined && principal !== reader.principal)
      violations.push({ rule: "foreign", what: `${what}, which is for ${principal}` });
    if (event === undefined) violations.push({ rule: "invented", what });
    if (seen.has(n)) violations.push({ rule: "doubled", what });
    seen.add(n);
    // One that the state had before another was even begun comes first.
    if (event?.doneAt !== undefined && event.doneAt < newest) violations.push({ rule: "out of order", what });
    newest = Math.max(newest, event?.begunAt ?? newest);
  }
  return violations;
}

function checkStall(entries: readonly HistoryEntry[], { stallMs }: Limits): Violation[] {
  const longest = longestStall(entries);
  if (stallMs === undefined || longest <= stallMs) return [];
  return [{ rule: "stalled", what: `nothing was published for ${Math.round(longest)} ms` }];
}

/** The longest time in which events were offered and none was taken. */
export function longestStall(entries: readonly HistoryEntry[]): number {
  let since: number | undefined;
  let longest = 0;
  for (const entry of entries) {
    if (entry.kind === "publishing") since ??= entry.at;
    if (entry.kind !== "published") continue;
    if (since !== undefined) longest = Math.max(longest, entry.at - since);
    since = undefined;
  }
  return longest;
}
