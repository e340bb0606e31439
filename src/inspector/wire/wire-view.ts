import { nextTurn } from "../../lib/async/yield-turn.ts";
import { BoundedMap } from "../../lib/bounded/bounded-map.ts";
import type { CallSpan, WireEntry, WireFilter } from "../messages/wire.ts";
import type { WireLog } from "./wire-log.ts";
import { toEntry, type WireRecord } from "./wire-record.ts";

/** Records that are looked at before other work gets its turn. */
const recordsPerTurn = 5_000;
const maxViews = 8;

/** The records that match one filter, found once and then followed. */
interface View {
  readonly matches: (record: WireRecord) => boolean;
  generation: number;
  /** Everything up to this sequence number was looked at. */
  lookedUpTo: number;
  found: WireRecord[];
}

/** Windows into the log by filter and place. */
export class WireViews {
  readonly #log: WireLog;
  readonly #views = new BoundedMap<string, View>(maxViews);

  constructor(log: WireLog) {
    this.#log = log;
  }

  async readEntries(
    filter: WireFilter,
    from: number,
    count: number,
  ): Promise<{ entries: WireEntry[]; matching: number }> {
    const found = await this.#find("entries", filter);
    const entries = found.slice(from, from + count).map(toEntry);
    return { entries, matching: found.length };
  }

  async readCalls(
    filter: WireFilter,
    from: number,
    count: number,
  ): Promise<{ calls: CallSpan[]; matching: number }> {
    const found = await this.#find("calls", filter);
    const calls = found.slice(from, from + count).map((request) => this.#toSpan(request));
    return { calls, matching: found.length };
  }

  /** The place of a record among those that match; if it does not match itself, that of the first one after it. */
  async findPlace(filter: WireFilter, seq: number): Promise<{ index: number; isMatch: boolean }> {
    const found = await this.#find("entries", filter);
    let [low, high] = [0, found.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((found[middle]?.seq ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    const index = Math.max(0, Math.min(low, found.length - 1));
    return { index, isMatch: found[index]?.seq === seq };
  }

  async #find(what: "entries" | "calls", filter: WireFilter): Promise<readonly WireRecord[]> {
    if (what === "entries" && Object.keys(filter).length === 0) return this.#log.records;
    const view = this.#viewOf(what, filter);
    if (view.generation !== this.#log.generation) this.#dropGone(view);
    const first = this.#log.records[0]?.seq ?? 0;
    let looked = 0;
    for (let place = Math.max(0, view.lookedUpTo + 1 - first); place < this.#log.records.length; place++) {
      const record = this.#log.records[place];
      if (record === undefined || record.seq <= view.lookedUpTo) continue;
      view.lookedUpTo = record.seq;
      if (view.matches(record)) view.found.push(record);
      if (++looked % recordsPerTurn !== 0) continue;
      await nextTurn();
      // The log may have changed meanwhile, and another reader may have gone on with this view.
      return this.#find(what, filter);
    }
    return view.found;
  }

  #viewOf(what: "entries" | "calls", filter: WireFilter): View {
    const key = JSON.stringify([what, filter]);
    const known = this.#views.get(key);
    const matches = toMatcher(filter);
    const isCall = (record: WireRecord) => record.kind === "request" && matches(record);
    const view = known ?? {
      matches: what === "calls" ? isCall : matches,
      generation: this.#log.generation,
      lookedUpTo: 0,
      found: [],
    };
    this.#views.set(key, view);
    return view;
  }

  #dropGone(view: View): void {
    const { first } = this.#log.totals;
    view.found = first === 0 ? [] : view.found.filter(({ seq }) => seq >= first);
    view.generation = this.#log.generation;
  }

  #toSpan(request: WireRecord): CallSpan {
    const answer = request.pair === undefined ? undefined : this.#log.find(request.pair);
    return {
      request: request.seq,
      connection: request.connection,
      from: request.direction === "sent" ? "client" : "server",
      method: request.method ?? "",
      startedAt: request.at,
      requestBytes: request.bytes,
      outcome: outcomeOf(request, answer),
      ...(request.name !== undefined && { name: request.name }),
      ...(answer && { answer: answer.seq, answerBytes: answer.bytes }),
      ...(answer?.ms !== undefined && { ms: answer.ms }),
    };
  }
}

function outcomeOf(request: WireRecord, answer: WireRecord | undefined): CallSpan["outcome"] {
  if (answer === undefined) return request.isCancelled ? "cancelled" : "open";
  if (answer.kind === "error") return "error";
  return answer.isToolError ? "tool-error" : "result";
}

function toMatcher(filter: WireFilter): (record: WireRecord) => boolean {
  const { connections, direction, kinds, methods, search = "", hasWarnings, between } = filter;
  const isWord = search === "" ? undefined : new RegExp(search.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "i");
  const [first, last] = between ?? [0, Number.POSITIVE_INFINITY];
  return (record) =>
    record.seq >= first &&
    record.seq <= last &&
    (connections === undefined || connections.includes(record.connection)) &&
    (direction === undefined || direction === record.direction) &&
    (kinds === undefined || kinds.includes(record.kind)) &&
    (methods === undefined || methods.includes(record.method ?? "")) &&
    (hasWarnings === undefined || hasWarnings === record.warnings.length > 0) &&
    (isWord === undefined ||
      isWord.test(record.text) ||
      isWord.test(`${record.method ?? ""} ${record.name ?? ""}`));
}
