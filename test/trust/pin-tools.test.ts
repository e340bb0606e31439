import { consentPolicy, pinTools, type TrustStore, type TrustValue, UsageError } from "allspeak/client";
import { describe, expect, it } from "vitest";
import type { Tool } from "../../src/protocol/model/tool.ts";

function toolOf(name: string, description = "Adds two numbers."): Tool {
  return { name, description, inputSchema: { type: "object", properties: { a: { type: "number" } } } };
}

/** The same definition with its members in the opposite order. */
function reordered(tool: Tool): Tool {
  return Object.fromEntries(Object.entries(tool).reverse()) as unknown as Tool;
}

describe("pins", () => {
  it("let a tool through that is new, and keep its definition", async () => {
    const store = new Map<string, TrustValue>();
    const pins = pinTools({ store });
    const tools = [toolOf("add"), toolOf("other")];
    expect(await pins.check("calculator", tools)).toEqual({ allowed: tools, held: [] });
    expect([...store.keys()]).toEqual(['["tool names"]', '["pins","calculator"]']);
    expect(JSON.stringify([...store])).toContain("Adds two numbers.");
  });

  it("let an unchanged tool through, whatever the order of its members, and write nothing", async () => {
    const store = new Map<string, TrustValue>();
    await pinTools({ store }).check("calculator", [toolOf("add")]);
    const before = JSON.stringify([...store]);
    const again = reordered(toolOf("add"));
    expect(await pinTools({ store }).check("calculator", [again])).toEqual({ allowed: [again], held: [] });
    expect(JSON.stringify([...store])).toBe(before);
  });

  it("hold a changed tool back until it is approved, and then the earlier one", async () => {
    const store = new Map<string, TrustValue>();
    const pins = pinTools({ store });
    const [before, now] = [toolOf("add"), toolOf("add", "Adds many numbers.")];
    await pins.check("calculator", [before]);
    const { allowed, held } = await pins.check("calculator", [now]);
    expect(allowed).toEqual([]);
    expect(held).toMatchObject([{ serverId: "calculator", name: "add", reason: "changed", tool: now }]);
    for (const one of held) await pins.approve(one);
    expect((await pinTools({ store }).check("calculator", [now])).held).toEqual([]);
    expect((await pinTools({ store }).check("calculator", [before])).held).toHaveLength(1);
  });

  it("keep the first of two definitions that are listed at once, and hold the other back", async () => {
    const { allowed, held } = await pinTools({ store: new Map() }).check("calculator", [
      toolOf("add"),
      toolOf("add", "Adds many numbers."),
    ]);
    expect(allowed).toEqual([toolOf("add")]);
    expect(held).toMatchObject([{ reason: "changed" }]);
  });

  it("are kept for each server, but a name belongs to the first that has it", async () => {
    const store = new Map<string, TrustValue>();
    const pins = pinTools({ store });
    await pins.check("calculator", [toolOf("add")]);
    expect((await pins.check("impostor", [toolOf("add")])).held).toMatchObject([{ reason: "collides" }]);
    const shared = pinTools({ store, sharedNames: true });
    expect((await shared.check("other", [toolOf("add", "Adds a note.")])).held).toEqual([]);
  });

  it("compare with what another writer has kept in between", async () => {
    const values = new Map<string, TrustValue>();
    let isFirst = true;
    const store: TrustStore = {
      get: (key) => values.get(key),
      async update(key, change) {
        if (isFirst) {
          isFirst = false;
          await pinTools({ store: values }).check("calculator", [toolOf("add", "From another process.")]);
        }
        const value = change(values.get(key));
        if (value) values.set(key, value);
      },
    };
    const { held } = await pinTools({ store }).check("calculator", [toolOf("add")]);
    expect(held).toMatchObject([{ reason: "changed", diff: expect.arrayContaining([expect.any(String)]) }]);
    expect(JSON.stringify([...values])).toContain("From another process.");
    expect(JSON.stringify([...values])).not.toContain("Adds two numbers.");
  });
});

describe("a store without update", () => {
  it("is refused by name, since it would lose writes", () => {
    const store = { get: () => undefined, set: () => {} } as unknown as TrustStore;
    expect(() => pinTools({ store })).toThrow(UsageError);
    expect(() => consentPolicy({ store })).toThrow("update(key, change)");
  });
});

it("a consent of `always` does not overrule a `never` that came while the user was asked", async () => {
  const store = new Map<string, TrustValue>();
  const consent = (answer: "always" | "never", before: () => Promise<unknown>) =>
    consentPolicy({
      store,
      ask: async () => {
        await before();
        return answer;
      },
    });
  const call = { serverId: "mail", name: "send", tool: toolOf("send"), arguments: {} };
  const never = () => consent("never", async () => {})(call as never);
  expect(await consent("always", never)(call as never)).toBe(false);
  expect(await consent("always", async () => {})(call as never)).toBe(false);
});
