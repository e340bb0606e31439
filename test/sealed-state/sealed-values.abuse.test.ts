import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Binding, createSealer, digestOf } from "../../src/seal/seal.ts";
import { SealError } from "../../src/seal/seal-error.ts";
import { createSealKeys } from "../../src/seal/seal-keys.ts";
import { memoryState } from "../../src/state/memory/memory-state.ts";

const secrets = [randomBytes(32).toString("base64")];
const { values } = memoryState();
const keys = await createSealKeys(secrets);
const sealer = createSealer(keys, { values });
const binding: Binding = {
  principal: "https://issuer.example alice",
  method: "tools/call",
  target: "pay",
  digest: await digestOf({ amount: 10 }),
};
const otherDigest = await digestOf({ amount: 1_000_000 });
const state = { answers: { confirm: { action: "accept" } } };

/** Why a text is not opened; undefined if it is. */
async function reasonOf(text: string, bound = binding, by = sealer): Promise<string | undefined> {
  try {
    await by.open(text, bound);
    return undefined;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return error.reason;
  }
}

const sizes = [
  { kind: "carried", value: state },
  { kind: "spilled", value: { text: randomBytes(60_000).toString("base64") } },
];

describe.each(sizes)("a sealed state, $kind", ({ value }) => {
  it("is not opened with any of its bits changed", async () => {
    const text = await sealer.seal(value, binding);
    const bytes = Buffer.from(text, "base64url");
    const reasons = new Set<string | undefined>();
    for (let at = 0; at < bytes.length; at++) {
      for (const mask of [1, 0x80, 0xff]) {
        const changed = Buffer.from(bytes);
        changed[at] = (bytes[at] as number) ^ mask;
        reasons.add(await reasonOf(changed.toString("base64url")));
      }
    }
    expect([...reasons].sort()).toEqual(["malformed", "tampered", "unknown-key"]);
    expect(await reasonOf(text)).toBe(undefined);
  });

  it("is not opened with any of its characters exchanged", async () => {
    const text = await sealer.seal(value, binding);
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === "A" ? "B" : "A";
      expect(await reasonOf(text.slice(0, at) + other + text.slice(at + 1))).toBeDefined();
    }
  });

  it("is not opened when cut, at whichever end", async () => {
    const text = await sealer.seal(value, binding);
    for (let length = 0; length < text.length; length++) {
      expect(["malformed", "tampered"]).toContain(await reasonOf(text.slice(0, length)));
      expect(["malformed", "tampered", "unknown-key"]).toContain(await reasonOf(text.slice(length + 1)));
    }
  });

  it("is not opened with anything added", async () => {
    const text = await sealer.seal(value, binding);
    for (const more of ["A", "AAAA", "=", "==", " ", "\n", "\0", "é", text]) {
      expect(["malformed", "tampered"]).toContain(await reasonOf(text + more));
      expect(["malformed", "tampered", "unknown-key"]).toContain(await reasonOf(more + text));
    }
  });

  it.each([
    ["another principal", { principal: "https://issuer.example bob" }],
    ["nobody", { principal: "" }],
    ["another method", { method: "prompts/get" }],
    ["another target", { target: "pay-more" }],
    ["other arguments", { digest: otherDigest }],
  ])("is not opened for %s", async (_who, change) => {
    const text = await sealer.seal(value, binding);
    expect(await reasonOf(text, { ...binding, ...change })).toBe("mismatch");
  });

  it("is not opened after its time", async () => {
    let now = 1_000_000;
    const timed = createSealer(keys, { values, ttlMs: 60_000, now: () => now });
    const text = await timed.seal(value, binding);
    now += 59_999;
    expect(await reasonOf(text, binding, timed)).toBe(undefined);
    now += 1;
    expect(await reasonOf(text, binding, timed)).toBe("expired");
    now += 1e12;
    expect(await reasonOf(text, binding, timed)).toBe("expired");
  });

  it("opens at most ten minutes long, unless told otherwise", async () => {
    let now = 1_000_000;
    const timed = createSealer(keys, { values, now: () => now });
    const text = await timed.seal(value, binding);
    now += 600_000;
    expect(await reasonOf(text, binding, timed)).toBe("expired");
  });
});

describe("two sealed states", () => {
  const theirs: Binding = { ...binding, principal: "bob", target: "refund" };

  it("can't be exchanged", async () => {
    const [one, other] = await Promise.all([sealer.seal(state, binding), sealer.seal(state, theirs)]);
    expect(await reasonOf(one, theirs)).toBe("mismatch");
    expect(await reasonOf(other, binding)).toBe("mismatch");
  });

  it("can't be made into a third from their parts", async () => {
    const texts = await Promise.all([sealer.seal(state, binding), sealer.seal(state, binding)]);
    const [one, other] = texts.map((text) => Buffer.from(text, "base64url")) as [Buffer, Buffer];
    for (const at of [1, 7, 19, one.length - 48, one.length - 32]) {
      const mixed = Buffer.concat([one.subarray(0, at), other.subarray(at)]);
      if (mixed.equals(one) || mixed.equals(other)) continue;
      expect(await reasonOf(mixed.toString("base64url"))).toBe("tampered");
    }
  });

  it("are told apart even if what they belong to reads the same when it is joined", async () => {
    const part = fc.string({ unit: "binary", maxLength: 4 });
    const four = fc.record({ principal: part, method: part, target: part, digest: part });
    await fc.assert(
      fc.asyncProperty(four, four, async (one, other) => {
        fc.pre(JSON.stringify(Object.values(one)) !== JSON.stringify(Object.values(other)));
        expect(await reasonOf(await sealer.seal(state, one), other)).toBe("mismatch");
      }),
    );
    const shifted = { ...binding, principal: "ab", method: "c" };
    expect(
      await reasonOf(await sealer.seal(state, shifted), { ...shifted, principal: "a", method: "bc" }),
    ).toBe("mismatch");
    const lone = { ...binding, target: "\ud800" };
    expect(await reasonOf(await sealer.seal(state, lone), { ...lone, target: "\ud801" })).toBe("mismatch");
  });
});

describe("what was never sealed", () => {
  it.each([
    ["nothing", ""],
    ["a word", "undefined"],
    ["the JSON itself", JSON.stringify(state)],
    ["base64 of the JSON", Buffer.from(JSON.stringify(state)).toString("base64url")],
    ["text beyond ASCII", "приве́т".repeat(40)],
    ["lone surrogates", "\ud800".repeat(200)],
    ["zeros", "A".repeat(400)],
    ["a megabyte of letters", "x".repeat(1024 ** 2)],
    ["a megabyte beyond ASCII", "é".repeat(1024 ** 2)],
    ["a megabyte of random bytes", randomBytes(786_432).toString("base64url")],
    ["eight megabytes", "A".repeat(8 * 1024 ** 2)],
  ])("is not opened: %s", async (_what, text) => {
    expect(["malformed", "unknown-key"]).toContain(await reasonOf(text));
  });

  it("is not opened, whatever it is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: "binary" }), fc.base64String()), async (text) => {
        expect(["malformed", "unknown-key"]).toContain(await reasonOf(text));
      }),
    );
  });

  it("is not opened for having the name of a key", async () => {
    const start = Buffer.from(await sealer.seal(state, binding), "base64url").subarray(0, 7);
    const forged = Buffer.concat([start, randomBytes(1024 ** 2 - 1000)]).toString("base64url");
    expect(await reasonOf(forged)).toBe("tampered");
  });
});

describe("keys", () => {
  const older = randomBytes(32).toString("base64");
  const newer = randomBytes(32).toString("base64");
  const sealerOf = async (...keys: string[]) => createSealer(await createSealKeys(keys), { values });

  it("can be rotated: an older one still opens, until it is removed", async () => {
    const before = await (await sealerOf(older)).seal(state, binding);
    const during = await sealerOf(newer, older);
    expect(await reasonOf(before, binding, during)).toBe(undefined);
    const after = await sealerOf(newer);
    expect(await reasonOf(before, binding, after)).toBe("unknown-key");
    expect(await reasonOf(await during.seal(state, binding), binding, after)).toBe(undefined);
  });

  it("that are new can be given to all nodes before the first of them seals with it", async () => {
    const told = await sealerOf(older, newer);
    const changed = await sealerOf(newer, older);
    expect(await reasonOf(await changed.seal(state, binding), binding, told)).toBe(undefined);
  });

  it("of two processes that were given none open nothing of each other", async () => {
    const [one, other] = await Promise.all([createSealKeys(), createSealKeys()]);
    const text = await createSealer(one, { values }).seal(state, binding);
    expect(await reasonOf(text, binding, createSealer(other, { values }))).toBe("unknown-key");
  });

  it("of the same secrets open on any node what another sealed", async () => {
    const elsewhere = createSealer(await createSealKeys(secrets), { values: memoryState().values });
    expect(await elsewhere.open(await sealer.seal(state, binding), binding)).toEqual(state);
  });
});
