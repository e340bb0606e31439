import { describe, expect, it } from "vitest";
import { checkHistory } from "../support/chaos/check-history.ts";
import type { HistoryEntry, HistoryEvent, Limits } from "../support/chaos/history.ts";

const limits: Limits = { callMs: 1_000, stallMs: 500, attempts: 2, mayFail: ["may fail"] };

/** A run in which all goes well: two readers, two events, a call, a task that needed two runs. */
const good: readonly HistoryEvent[] = [
  { kind: "run", title: "good", backend: "memory", seed: 1, limits },
  { kind: "subscribed", client: "anna-1", stream: "s", principal: "anna" },
  { kind: "subscribed", client: "bert-1", stream: "s", principal: "bert" },
  { kind: "publishing", stream: "s", n: 1 },
  { kind: "published", stream: "s", n: 1 },
  { kind: "received", client: "anna-1", stream: "s", n: 1 },
  { kind: "received", client: "bert-1", stream: "s", n: 1 },
  { kind: "publishing", stream: "s", n: 2 },
  { kind: "published", stream: "s", n: 2 },
  { kind: "received", client: "anna-1", stream: "s", n: 2, principal: "anna" },
  { kind: "received", client: "bert-1", stream: "s", n: 2, principal: "bert" },
  { kind: "calling", call: "c1", client: "anna-1", name: "echo", principal: "anna" },
  { kind: "answered", call: "c1", echo: "c1", principal: "anna" },
  { kind: "attempt", task: "t1", run: "r1" },
  { kind: "attempt", task: "t1", run: "r2" },
  { kind: "completed", task: "t1", run: "r2", client: "anna-1" },
  { kind: "completed", task: "t1", run: "r2", client: "anna-1" },
];

/** One entry each 10 ms. */
function toEntries(events: readonly HistoryEvent[]): HistoryEntry[] {
  return events.map((event, index) => ({ ...event, at: index * 10, by: "test" }));
}

function rulesBroken(events: readonly HistoryEvent[]): readonly string[] {
  return checkHistory(toEntries(events)).violations.map(({ rule }) => rule);
}

function without(index: number): HistoryEvent[] {
  return good.filter((_, at) => at !== index);
}

function replaced(index: number, ...by: readonly HistoryEvent[]): HistoryEvent[] {
  return good.flatMap((event, at) => (at === index ? by : [event]));
}

describe("the checker of histories", () => {
  it("passes a history in which every promise was kept, and counts what happened", () => {
    const { violations, figures } = checkHistory(toEntries(good));
    expect(violations).toEqual([]);
    expect(figures).toMatchObject({ published: 2, received: 4, calls: 1, failedCalls: 0, tasks: 1 });
  });

  it("finds an acknowledged event that a reader never got", () => {
    expect(rulesBroken(without(9))).toEqual(["lost"]);
  });

  it("does not call an event lost that was never acknowledged", () => {
    const unknown = replaced(8, { kind: "unpublished", stream: "s", n: 2, error: "the store was away" });
    expect(rulesBroken(unknown.filter(({ kind }) => kind !== "received"))).toEqual(["lost", "lost"]);
    expect(rulesBroken(unknown)).toEqual([]);
  });

  it("does not call an event lost that came before the subscription", () => {
    const late = [...good, { kind: "subscribed", client: "carl-1", stream: "s", principal: "carl" }] as const;
    expect(rulesBroken(late)).toEqual([]);
  });

  it("does not call an event lost that was acknowledged after all clients had left", () => {
    const missing = without(9).filter((event) => event.kind !== "received" || event.n !== 2);
    const late = missing.flatMap((event): HistoryEvent[] =>
      event.kind === "published" && event.n === 2 ? [{ kind: "leaving" }, event] : [event],
    );
    expect(rulesBroken(missing)).toEqual(["lost", "lost"]);
    expect(rulesBroken(late)).toEqual([]);
  });

  it("asks for no event before the first one of a reader that could not come back without one", () => {
    const subscribed = { kind: "subscribed", client: "anna-1", stream: "s", principal: "anna" } as const;
    const unprimed = replaced(1, { ...subscribed, resumesAtOnce: false });
    expect(rulesBroken(unprimed.filter((_, at) => at !== 5))).toEqual([]);
    expect(rulesBroken(without(5))).toEqual(["lost"]);
    expect(rulesBroken(unprimed.filter((_, at) => at !== 9))).toEqual(["lost"]);
  });

  it("asks no events of a call that broke before its first one", () => {
    const broken: readonly HistoryEvent[] = [
      { kind: "subscribed", client: "anna-1", stream: "c2", principal: "anna" },
      { kind: "calling", call: "c2", client: "anna-1", name: "may fail", principal: "anna" },
      { kind: "publishing", stream: "c2", n: 1 },
      { kind: "published", stream: "c2", n: 1 },
      { kind: "publishing", stream: "c2", n: 2 },
      { kind: "published", stream: "c2", n: 2 },
      { kind: "refused", call: "c2", error: "CallLostError", message: "lost" },
    ];
    expect(rulesBroken([...good, ...broken])).toEqual([]);
    const answered = broken.map((event) =>
      event.kind === "refused" ? { ...event, error: "RpcError", message: "no longer" } : event,
    );
    expect(rulesBroken([...good, ...answered])).toEqual(["lost", "lost"]);
    const first: HistoryEvent = { kind: "received", client: "anna-1", stream: "c2", n: 1 };
    expect(rulesBroken([...good, ...broken, first])).toEqual(["lost"]);
  });

  it("asks no events of a call after those that its caller had when it gave up, but none may be missing before", () => {
    const call = (error: string, ...received: readonly number[]): readonly HistoryEvent[] => [
      { kind: "subscribed", client: "anna-1", stream: "c2", principal: "anna" },
      { kind: "calling", call: "c2", client: "anna-1", name: "may fail", principal: "anna" },
      ...[1, 2, 3].flatMap((n): HistoryEvent[] => [
        { kind: "publishing", stream: "c2", n },
        { kind: "published", stream: "c2", n },
      ]),
      ...received.map((n): HistoryEvent => ({ kind: "received", client: "anna-1", stream: "c2", n })),
      { kind: "refused", call: "c2", error, message: "it took too long" },
    ];
    expect(rulesBroken([...good, ...call("TimeoutError", 1, 2)])).toEqual([]);
    expect(rulesBroken([...good, ...call("TimeoutError", 1, 3)])).toEqual(["lost"]);
    expect(rulesBroken([...good, ...call("CallLostError", 1, 2)])).toEqual(["lost"]);
  });

  it("finds an event that came twice", () => {
    expect(rulesBroken(replaced(9, good[9] as HistoryEvent, good[9] as HistoryEvent))).toEqual(["doubled"]);
  });

  it("finds an event that came before an older one", () => {
    const swapped = [...good];
    [swapped[5], swapped[9]] = [good[9] as HistoryEvent, good[5] as HistoryEvent];
    expect(rulesBroken(swapped)).toEqual(["out of order"]);
  });

  it("allows any order of events that were published at the same time", () => {
    const order = [0, 1, 2, 3, 7, 8, 4, 9, 10, 5, 6, 11, 12, 13, 14, 15, 16];
    expect(rulesBroken(order.map((index) => good[index] as HistoryEvent))).toEqual([]);
  });

  it("finds an event that nobody published", () => {
    const extra: HistoryEvent = { kind: "received", client: "anna-1", stream: "s", n: 3 };
    expect(rulesBroken([...good, extra])).toEqual(["invented"]);
  });

  it("finds an event of another principal, and one of a stream that was not asked for", () => {
    expect(
      rulesBroken(replaced(9, { kind: "received", client: "anna-1", stream: "s", n: 2, principal: "bert" })),
    ).toEqual(["foreign"]);
    const extra: HistoryEvent = { kind: "received", client: "carl-1", stream: "s", n: 2 };
    expect(rulesBroken([...good, extra])).toContain("foreign");
  });

  it("finds a session that was lost, and asks no events of before of a client without sessions", () => {
    const lost: HistoryEvent = { kind: "interrupted", client: "anna-1", resumes: true };
    expect(rulesBroken([...good, lost])).toEqual(["interrupted"]);
    const gap: HistoryEvent = { kind: "interrupted", client: "anna-1", resumes: false };
    expect(rulesBroken([...without(9), gap])).toEqual([]);
    expect(rulesBroken([gap, ...without(9)])).toEqual(["lost"]);
  });

  it("finds an event that is missing between two others, also in a client that is interrupted later", () => {
    const cut: HistoryEvent = { kind: "cut", client: "anna-1" };
    const gap: HistoryEvent = { kind: "interrupted", client: "anna-1", resumes: false };
    expect(rulesBroken([...without(5), cut, gap])).toEqual(["lost"]);
    // The event came by the next connection, before the client was told of the gap.
    expect(rulesBroken([...without(5).slice(0, 7), cut, ...without(5).slice(7), gap])).toEqual([]);
  });

  it("finds a call without an end, with two ends, and with an end that came late", () => {
    expect(rulesBroken(without(12))).toEqual(["unanswered"]);
    const end = good[12] as HistoryEvent;
    expect(rulesBroken([...good, end])).toEqual(["answered twice"]);
    const late = [...toEntries(without(12)), { ...end, at: 5_000, by: "test" }];
    expect(checkHistory(late).violations.map(({ rule }) => rule)).toEqual(["late"]);
  });

  it("finds a call that failed, unless it may", () => {
    const error: HistoryEvent = { kind: "refused", call: "c1", error: "CallLostError", message: "lost" };
    expect(rulesBroken(replaced(12, error))).toEqual(["failed"]);
    const mayFail: HistoryEvent = {
      ...(good[11] as Extract<HistoryEvent, { kind: "calling" }>),
      name: "may fail",
    };
    expect(
      rulesBroken(replaced(12, error).map((event) => (event.kind === "calling" ? mayFail : event))),
    ).toEqual([]);
  });

  it("finds the answer of another call, or to another principal", () => {
    expect(
      rulesBroken(replaced(12, { kind: "answered", call: "c1", echo: "c2", principal: "anna" })),
    ).toEqual(["wrong answer"]);
    expect(
      rulesBroken(replaced(12, { kind: "answered", call: "c1", echo: "c1", principal: "bert" })),
    ).toEqual(["foreign"]);
  });

  it("finds a task with two results, with the result of no run, and with too many runs", () => {
    expect(rulesBroken(replaced(16, { kind: "completed", task: "t1", run: "r1", client: "anna-1" }))).toEqual(
      ["completed twice"],
    );
    expect(rulesBroken(without(14))).toEqual(["wrong answer"]);
    expect(rulesBroken([...good, { kind: "attempt", task: "t1", run: "r3" }])).toEqual(["too many runs"]);
  });

  it("finds a stretch of time in which nothing could be published", () => {
    const late = toEntries(good).map((entry) => (entry.at > 75 ? { ...entry, at: entry.at + 600 } : entry));
    expect(checkHistory(late).violations.map(({ rule }) => rule)).toEqual(["stalled"]);
  });

  it("refuses a history that does not say what it promised", () => {
    expect(() => checkHistory([])).toThrow("limits");
  });
});
