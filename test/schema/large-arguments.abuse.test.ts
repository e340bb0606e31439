import { createServer, tool } from "allspeak";
import { expect, it } from "vitest";
import { z } from "zod";
import { jsonSize } from "../../src/lib/json-size.ts";
import { compileValidator } from "../../src/schema/validator/validator.ts";
import { openRaw } from "../support/raw-client.ts";
import { turns } from "../support/turns.ts";

/** Counts how many items the schema of the author looked at. */
function createListing() {
  let looked = 0;
  const item = z.object({ id: z.number().refine(() => ++looked > 0) });
  const add = tool("add", { input: { items: z.array(item) } }, ({ items }) => `${items.length} items`);
  const server = createServer({ name: "s", version: "1", log: () => {}, tools: [add] });
  return { server, client: openRaw(server), looked: () => looked };
}

async function call({ client }: ReturnType<typeof createListing>, items: readonly unknown[]) {
  return (await client.result("tools/call", { name: "add", arguments: { items } })) as {
    isError?: boolean;
    content: { text: string }[];
  };
}

it("B8: a large body that breaks its schema everywhere never reaches the author's library", async () => {
  const listing = createListing();
  await listing.client.initialize();
  const items = Array.from({ length: 300_000 }, (_, at) => (at % 2 ? { id: 1 } : { id: "x" }));
  const { isError, content } = await call(listing, items);
  expect(isError).toBe(true);
  expect(content[0]?.text).toContain("items[0].id");
  expect(content[0]?.text.split("\n").length).toBeLessThan(40);
  expect(listing.looked()).toBe(0);
});

it("a large body that fits is checked by the author's schema too, and a small one by that alone", async () => {
  const listing = createListing();
  await listing.client.initialize();
  const items = Array.from({ length: 20_000 }, () => ({ id: 1 }));
  expect((await call(listing, items)).content[0]?.text).toBe("20000 items");
  expect(listing.looked()).toBe(20_000);
  const { isError } = await call(listing, [{ id: 1 }, { id: "x" }]);
  expect(isError).toBe(true);
  expect(listing.looked()).toBe(20_001);
});

it("a call of another client is answered while a large body is checked", async () => {
  const listing = createListing();
  const answered: string[] = [];
  const neighbour = openRaw(listing.server);
  await Promise.all([listing.client.initialize(), neighbour.initialize()]);
  const items = Array.from({ length: 50_000 }, () => ({ id: 1 }));
  const calls = [
    call(listing, items).then(() => answered.push("large")),
    neighbour.ask("ping").then(() => answered.push("ping")),
    turns(1)
      .then(() => neighbour.ask("ping"))
      .then(() => answered.push("ping a turn later")),
  ];
  await Promise.all(calls);
  expect(answered).toEqual(["ping", "ping a turn later", "large"]);
});

it("a large list that breaks its schema everywhere is not looked at further than to its first problems", () => {
  let looked = 0;
  const items = new Proxy(
    Array.from({ length: 100_000 }, () => "x"),
    {
      get: (list, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) looked++;
        return Reflect.get(list, key);
      },
    },
  );
  const schema = {
    type: "object",
    properties: { items: { type: "array", items: { type: "number" } } },
  } as const;
  const { validate } = compileValidator(schema, { trust: "own" });
  expect(validate({ items })).toMatchObject({ ok: false });
  expect(looked).toBeLessThan(1_000);
  expect(jsonSize({ items }, 1_000)).toBeGreaterThan(1_000);
  expect(looked).toBeLessThan(2_000);
});

it("a large list that is longer than its schema allows is refused before its items are looked at", async () => {
  let looked = 0;
  const item = z.number().refine(() => ++looked > 0);
  const server = createServer({ name: "s", version: "1", log: () => {} });
  server.tool("add", { input: { items: z.array(item).max(1_000) } }, () => "added");
  const client = openRaw(server);
  await client.initialize();
  const items = Array.from({ length: 100_000 }, () => 1);
  const result = await client.result("tools/call", { name: "add", arguments: { items } });
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("1000") }] });
  expect(looked).toBe(0);
  const { validate } = compileValidator(
    { type: "array", items: { type: "number" }, maxItems: 1_000 },
    { trust: "own" },
  );
  const unread = new Proxy(items, {
    get: (list, key) => {
      if (typeof key === "string" && /^\d+$/.test(key)) looked++;
      return Reflect.get(list, key);
    },
  });
  expect(validate(unread)).toMatchObject({ ok: false });
  expect(looked).toBe(0);
});

it("a large list whose items fit the last of several alternatives is within the budget", () => {
  const member = (type: string) => ({ type: "object", properties: { a: { type } }, required: ["a"] });
  const alternatives = [{ type: "string" }, member("string"), member("number")];
  for (const keyword of ["anyOf", "oneOf"]) {
    const { validate } = compileValidator(
      { type: "array", items: { [keyword]: alternatives } },
      { trust: "own" },
    );
    expect(validate(Array.from({ length: 400_000 }, () => ({ a: 1 })))).toMatchObject({ ok: true });
  }
});
