import { describe, expect, it, vi } from "vitest";
import { UsageError } from "../../src/errors.ts";
import type { AuditEntry } from "../../src/guard/audit.ts";
import { CallLimits, type LimitOutcome } from "../../src/guard/call-limits.ts";
import type { LimitOptions } from "../../src/guard/limit-options.ts";
import { memoryState } from "../../src/state/memory/memory-state.ts";
import type { CounterStore } from "../../src/state/state.ts";

const anna = { principal: { issuer: "https://id.example", subject: "anna" }, address: "198.51.100.1" };
const bob = { principal: { issuer: "https://id.example", subject: "bob" }, address: "198.51.100.2" };
const stranger = { principal: undefined, address: "203.0.113.1" };
const local = { principal: undefined, address: "127.0.0.1" };

function call(name: string) {
  return { method: "tools/call", params: { name, arguments: { secret: 1 } } };
}

function open(options: LimitOptions, counters: CounterStore = memoryState().counters) {
  const reports: string[] = [];
  const limits = new CallLimits(options, {
    name: "s",
    counters: () => counters,
    report: (message) => reports.push(message),
  });
  return { limits, reports };
}

function refusal(entry: LimitOutcome) {
  return entry.ok ? undefined : entry.error;
}

describe("limits", () => {
  it("refuse with 503 what is beyond the calls under way, until one leaves", async () => {
    const { limits } = open({ running: 2 });
    const first = await limits.acquire(call("a"), local);
    await limits.acquire(call("a"), local);
    expect(refusal(await limits.acquire(call("a"), local))).toMatchObject({
      wireCode: 503,
      data: { retryAfterMs: 1000 },
    });
    expect(limits.overloadError?.wireCode).toBe(503);
    if (first.ok) first.release();
    expect(limits.overloadError).toBeUndefined();
    expect((await limits.acquire(call("a"), local)).ok).toBe(true);
    expect(limits.running).toBe(2);
  });

  it("don't take streams of changes for calls, and count them apart", async () => {
    const { limits } = open({ running: 1, listening: 2 });
    const listen = { method: "subscriptions/listen", params: {} };
    const first = await limits.acquire(listen, local);
    await limits.acquire(listen, local);
    expect(limits.running).toBe(0);
    expect(refusal(await limits.acquire(listen, local))?.wireCode).toBe(503);
    if (first.ok) first.release();
    expect((await limits.acquire(listen, local)).ok).toBe(true);
  });

  it("are on for strangers from other machines, and for nobody else", async () => {
    const { limits } = open({ anonymous: { calls: 2 } });
    for (const caller of [local, anna, { principal: undefined, address: undefined }]) {
      for (let n = 0; n < 5; n++) expect((await limits.acquire(call("a"), caller)).ok).toBe(true);
    }
    await limits.acquire(call("a"), stranger);
    await limits.acquire(call("a"), stranger);
    const error = refusal(await limits.acquire(call("a"), stranger));
    expect(error?.wireCode).toBe(429);
    expect(error?.message).toBe("At most 2 calls in 60 s are allowed; try again in 60 s.");
    expect((await limits.acquire(call("a"), { ...stranger, address: "203.0.113.2" })).ok).toBe(true);
  });

  it("hold for strangers by default: 100 at once, 6,000 a minute", async () => {
    const { limits } = open({});
    const running: LimitOutcome[] = [];
    for (let n = 0; n < 100; n++) running.push(await limits.acquire(call("a"), stranger));
    expect(running.every(({ ok }) => ok)).toBe(true);
    expect(refusal(await limits.acquire(call("a"), stranger))?.message).toMatch("At most 100 calls at once");
    for (const entry of running) if (entry.ok) entry.release();
    for (let n = 100; n < 6_000; n++) {
      const entry = await limits.acquire(call("a"), stranger);
      if (entry.ok) entry.release();
    }
    expect(refusal(await limits.acquire(call("a"), stranger))?.message).toMatch("At most 6000 calls in 60 s");
    expect(limits.running).toBe(0);
  });

  it("give a principal one share, from wherever and with whichever client it calls", async () => {
    const { limits } = open({ rules: [{ calls: 1, by: "principal" }] });
    await limits.acquire(call("a"), anna);
    const elsewhere = { principal: { ...anna.principal, client: "other" }, address: "198.51.100.99" };
    expect(refusal(await limits.acquire(call("a"), elsewhere))?.wireCode).toBe(429);
    expect((await limits.acquire(call("a"), bob)).ok).toBe(true);
    expect((await limits.acquire(call("a"), stranger)).ok).toBe(true);
  });

  it("count a tool by itself, for each caller", async () => {
    const { limits } = open({ rules: [{ tools: ["send"], calls: 1 }] });
    await limits.acquire(call("send"), anna);
    expect(refusal(await limits.acquire(call("send"), anna))?.wireCode).toBe(429);
    expect((await limits.acquire(call("other"), anna)).ok).toBe(true);
    expect((await limits.acquire({ method: "prompts/get", params: { name: "send" } }, anna)).ok).toBe(true);
    expect((await limits.acquire(call("send"), bob)).ok).toBe(true);
  });

  it("shared by all are an overload, not the caller's fault", async () => {
    const { limits } = open({ rules: [{ tools: ["render"], running: 1, by: "all" }] });
    const first = await limits.acquire(call("render"), anna);
    expect(refusal(await limits.acquire(call("render"), bob))?.wireCode).toBe(503);
    if (first.ok) first.release();
    expect((await limits.acquire(call("render"), bob)).ok).toBe(true);
  });

  it("leave no place taken by what was refused", async () => {
    const { limits } = open({ rules: [{ running: 5 }, { tools: ["send"], calls: 1 }] });
    for (let n = 0; n < 20; n++) {
      const entry = await limits.acquire(call("send"), anna);
      if (entry.ok) entry.release();
    }
    expect(limits.running).toBe(0);
    const others = await Promise.all(Array.from({ length: 5 }, () => limits.acquire(call("other"), anna)));
    expect(others.every(({ ok }) => ok)).toBe(true);
  });

  it("let several in together or not at all", async () => {
    const { limits } = open({ running: 2 });
    expect((await limits.acquireAll([call("a"), call("b"), call("c")], local)).ok).toBe(false);
    expect(limits.running).toBe(0);
    const pair = await limits.acquireAll([call("a"), call("b")], local);
    expect(limits.running).toBe(2);
    if (pair.ok) pair.release();
    expect(limits.running).toBe(0);
  });

  it("begin anew when the time is over", async () => {
    vi.useFakeTimers();
    try {
      const { limits } = open({ rules: [{ calls: 1, perMs: 10_000 }] });
      await limits.acquire(call("a"), anna);
      vi.advanceTimersByTime(4_000);
      expect(refusal(await limits.acquire(call("a"), anna))?.data).toEqual({ retryAfterMs: 6_000 });
      vi.advanceTimersByTime(6_000);
      expect((await limits.acquire(call("a"), anna)).ok).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it("count in a store that several nodes share", async () => {
    const { counters } = memoryState();
    const later: CounterStore = { count: async (...given) => counters.count(...given) };
    const one = open({ rules: [{ calls: 2 }] }, later).limits;
    const other = open({ rules: [{ calls: 2 }] }, later).limits;
    expect((await one.acquire(call("a"), anna)).ok).toBe(true);
    expect((await other.acquire(call("a"), anna)).ok).toBe(true);
    expect(refusal(await one.acquire(call("a"), anna))?.wireCode).toBe(429);
    expect(refusal(await other.acquire(call("a"), anna))?.wireCode).toBe(429);
    expect(one.running).toBe(1);
  });

  it("refuse nobody when the store fails or is silent, and say so once", async () => {
    vi.useFakeTimers();
    try {
      const failing: CounterStore = { count: () => Promise.reject(new Error("down")) };
      const { limits, reports } = open({ rules: [{ calls: 1 }] }, failing);
      for (let n = 0; n < 5; n++) expect((await limits.acquire(call("a"), anna)).ok).toBe(true);
      expect(reports).toEqual(["Calls could not be counted, so they are not limited"]);

      const silent: CounterStore = { count: () => new Promise(() => {}) };
      const waiting = open({ rules: [{ calls: 1 }] }, silent).limits.acquire(call("a"), anna);
      await vi.advanceTimersByTimeAsync(500);
      expect((await waiting).ok).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it("tell of what they refuse, without arguments, and fill no log", async () => {
    const refused: AuditEntry[] = [];
    const { limits, reports } = open({ rules: [{ calls: 1 }], onRefused: (entry) => refused.push(entry) });
    for (let n = 0; n < 4; n++) await limits.acquire(call("send"), anna);
    expect(refused).toHaveLength(3);
    expect(refused[0]).toMatchObject({
      method: "tools/call",
      target: "send",
      principal: anna.principal,
      address: anna.address,
      outcome: "refused",
      code: 429,
    });
    expect(JSON.stringify(refused)).not.toContain("secret");
    expect(reports).toEqual(["Calls are being refused, the last one from 198.51.100.1"]);
  });

  it("that can't be right are refused at once", () => {
    for (const wrong of [{ running: 0 }, { rules: [{ calls: 1.5 }] }, { anonymous: { perMs: -1 } }]) {
      expect(() => open(wrong)).toThrow(UsageError);
    }
  });
});
