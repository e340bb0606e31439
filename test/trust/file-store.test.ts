import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileTrustStore } from "allspeak/node";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`);

it("updates that come while the file is written are kept together by the next write", async () => {
  const path = join(createTemporaryFolder(), "trust.json");
  const store = fileTrustStore(path);
  const updates = keys.map((key) => store.update(key, () => ({ key })));
  await Promise.race(updates.slice(1));
  expect(Object.keys(JSON.parse(readFileSync(path, "utf8")))).toEqual(keys);
  await Promise.all(updates);
});

it("an update sees what those before it have made of the same key", async () => {
  const store = fileTrustStore(join(createTemporaryFolder(), "trust.json"));
  const countUp = (kept: unknown) => ({ count: ((kept as { count?: number })?.count ?? 0) + 1 });
  await Promise.all(keys.map(() => store.update("count", countUp)));
  expect(await store.get("count")).toEqual({ count: keys.length });
});

it("a change that throws fails alone", async () => {
  const store = fileTrustStore(join(createTemporaryFolder(), "trust.json"));
  const fail = () => {
    throw new Error("This change fails.");
  };
  const [first, failed, last] = await Promise.allSettled([
    store.update("first", () => ({ isKept: true })),
    store.update("failed", fail),
    store.update("last", () => ({ isKept: true })),
  ]);
  expect([first?.status, failed, last?.status]).toMatchObject([
    "fulfilled",
    { status: "rejected", reason: { message: "This change fails." } },
    "fulfilled",
  ]);
  expect([await store.get("first"), await store.get("last")]).toEqual([{ isKept: true }, { isKept: true }]);
});
