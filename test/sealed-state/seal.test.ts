import { UsageError } from "allspeak";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Binding, createSealer } from "../../src/seal/seal.ts";
import { createSealKeys } from "../../src/seal/seal-keys.ts";
import { memoryState } from "../../src/state/memory/memory-state.ts";
import type { ValueStore } from "../../src/state/state.ts";

const keys = await createSealKeys(["a secret that is long enough for a test"]);
const binding: Binding = { principal: "alice", method: "tools/call", target: "book", digest: "d" };
const { values } = memoryState();
const sealer = createSealer(keys, { values });

/** Text that does not compress, the same each time. */
function noise(length: number): string {
  let seed = 7;
  const next = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return String.fromCharCode(33 + ((seed >> 12) % 94));
  };
  return Array.from({ length }, next).join("");
}

/** A value store that remembers what it was asked to keep. */
function watched(): { readonly store: ValueStore; readonly kept: Map<string, string> } {
  const { values: inner } = memoryState();
  const kept = new Map<string, string>();
  const put = (key: string, value: string, ttlMs: number) => {
    kept.set(key, value);
    return inner.put(key, value, ttlMs);
  };
  const store = {
    add: inner.add.bind(inner),
    get: inner.get.bind(inner),
    remove: inner.remove.bind(inner),
    put,
  };
  return { store, kept };
}

afterEach(() => vi.useRealTimers());

describe("a sealer", () => {
  test("gives back what was sealed, as often as it is asked", async () => {
    const text = await sealer.seal({ answers: { name: "Ada" } }, binding);
    expect(await sealer.open(text, binding)).toEqual({ answers: { name: "Ada" } });
    expect(await sealer.open(text, binding)).toEqual({ answers: { name: "Ada" } });
  });

  test("writes base64url, however the value is written", async () => {
    const text = await sealer.seal({ "ключ\0\n": "\u{1f600}" }, binding);
    expect(text).toMatch(/^[\w-]+$/);
  });

  test("writes another text each time, which shows nothing of the value", async () => {
    const value = { once: "the-launch-code" };
    const [one, other] = await Promise.all([sealer.seal(value, binding), sealer.seal(value, binding)]);
    expect(one).not.toBe(other);
    expect(Buffer.from(one, "base64url").includes("launch")).toBe(false);
    expect(Buffer.from(one, "base64url").includes("alice")).toBe(false);
  });

  test("a key named __proto__ stays a key", async () => {
    const value = JSON.parse('{"__proto__":{"isAdmin":true},"a":{"__proto__":{"isAdmin":true}}}');
    const opened = await sealer.open(await sealer.seal(value, binding), binding);
    expect(Object.keys(opened)).toEqual(["__proto__", "a"]);
    expect((opened as { isAdmin?: boolean }).isAdmin).toBe(undefined);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBe(undefined);
  });

  test("lone surrogates survive", async () => {
    const value = { text: "\ud800 and \udfff", "\ud801": true };
    expect(await sealer.open(await sealer.seal(value, binding), binding)).toEqual(value);
  });

  test("writes a text whose length says how long the JSON is, and nothing else", async () => {
    const token = "q7x2m9k4w1z8";
    const lengthWith = async (guess: string) => {
      const value = { once: { token }, answer: `${guess}${"a".repeat(2000)}` };
      return (await sealer.seal(value, binding)).length;
    };
    const right = await lengthWith(token);
    expect(await lengthWith("m3w8s5k9d2n6")).toBe(right);
    expect(await lengthWith(`${token.slice(0, -1)}?`)).toBe(right);
    expect(await lengthWith("a".repeat(12))).toBe(right);
  });

  test("JSON of more than it takes is refused with what to do about it", async () => {
    const tight = createSealer(keys, { values, maxBytes: 100 });
    await expect(tight.seal({ text: "x".repeat(89) }, binding)).resolves.toBeTypeOf("string");
    const failure = await tight.seal({ text: "x".repeat(90) }, binding).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect((failure as UsageError).message).toContain("101 bytes of JSON, and 100 are allowed");
    expect((failure as UsageError).message).toContain("`once`");
  });

  test("counts bytes, not characters", async () => {
    const tight = createSealer(keys, { values, maxBytes: 100 });
    await expect(tight.seal({ text: "é".repeat(60) }, binding)).rejects.toThrow(UsageError);
  });

  test("never inflates beyond what it takes", async () => {
    const generous = await sealer.seal({ text: "x".repeat(100_000) }, binding);
    const tight = createSealer(keys, { values, maxBytes: 50_000 });
    await expect(tight.open(generous, binding)).rejects.toMatchObject({ reason: "tampered" });
  });
});

describe("what is too large to be carried", () => {
  const value = { once: `secret ${noise(70_000)}` };

  test("goes to the value store, and the client carries a short text", async () => {
    const { store, kept } = watched();
    const spilling = createSealer(keys, { values: store });
    const text = await spilling.seal(value, binding);
    expect(text.length).toBeLessThan(150);
    expect(kept.size).toBe(1);
    expect(await spilling.open(text, binding)).toEqual(value);
  });

  test("is compressed there", async () => {
    const { store, kept } = watched();
    await createSealer(keys, { values: store }).seal({ text: "again and ".repeat(10_000) }, binding);
    const [stored] = [...kept.values()] as [string];
    expect(stored.length).toBeLessThan(1000);
  });

  test("stays there, for a client that sends its request again", async () => {
    const text = await sealer.seal(value, binding);
    await sealer.open(text, binding);
    expect(await sealer.open(text, binding)).toEqual(value);
  });

  test("cannot be read by the store", async () => {
    const { store, kept } = watched();
    await createSealer(keys, { values: store }).seal(value, binding);
    const [[key, stored]] = [...kept] as [[string, string]];
    expect(key).toMatch(/^seal:[\w-]{22}$/);
    expect(Buffer.from(stored, "base64url").includes("secret")).toBe(false);
  });

  test("can be neither changed nor exchanged by the store", async () => {
    const { store, kept } = watched();
    const spilling = createSealer(keys, { values: store });
    const one = await spilling.seal(value, binding);
    const other = await spilling.seal({ once: noise(80_000) }, binding);
    const [[key, stored], [, theirs]] = [...kept] as [[string, string], [string, string]];
    const changed = `${stored.slice(0, 500)}${stored[500] === "A" ? "B" : "A"}${stored.slice(501)}`;
    for (const put of [theirs, changed, stored.slice(0, -4), "", other, one]) {
      await store.put(key, put, 1000);
      await expect(spilling.open(one, binding)).rejects.toMatchObject({ reason: "tampered" });
    }
    await store.put(key, stored, 1000);
    expect(await spilling.open(one, binding)).toEqual(value);
  });

  test("is gone from a node that has another store", async () => {
    const text = await sealer.seal(value, binding);
    const elsewhere = createSealer(keys, { values: memoryState().values });
    await expect(elsewhere.open(text, binding)).rejects.toMatchObject({ reason: "gone" });
  });

  test("leaves the store when it expires", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { store, kept } = watched();
    const spilling = createSealer(keys, { values: store, ttlMs: 1000 });
    const text = await spilling.seal(value, binding);
    const [key] = [...kept.keys()] as [string];
    vi.advanceTimersByTime(999);
    expect(await spilling.open(text, binding)).toEqual(value);
    vi.advanceTimersByTime(1);
    expect(await store.get(key)).toBe(undefined);
    await expect(spilling.open(text, binding)).rejects.toMatchObject({ reason: "expired" });
  });
});
