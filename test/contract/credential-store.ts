import type { CredentialStore } from "allspeak/auth";
import { describe, expect, it } from "vitest";

/** What every store of credentials does. `open` gives one more view of the same store each time. */
export function describeCredentialStore(
  name: string,
  create: () => () => CredentialStore | Promise<CredentialStore>,
): void {
  describe(`the ${name} store`, () => {
    it("gives what was set last, to everybody who shares it", async () => {
      const open = create();
      const [first, second] = [await open(), await open()];
      await first.set("key", "old");
      await first.set("key", "new");
      expect(await second.get("key")).toBe("new");
    });

    it("knows nothing of what was never set, or was deleted", async () => {
      const store = await create()();
      expect(await store.get("key")).toBeUndefined();
      await store.set("key", "value");
      await store.delete("key");
      await store.delete("key");
      expect(await store.get("key")).toBeUndefined();
    });

    it("tells odd keys apart, and keeps odd values", async () => {
      const store = await create()();
      const keys = ["", "a", "A", "a/b", "../a", "a\u0000b", "ü", "__proto__", "x".repeat(5_000)];
      for (const key of keys) await store.set(key, `value of ${key}`);
      for (const key of keys) expect(await store.get(key)).toBe(`value of ${key}`);
    });

    it("does one work at a time under a name, whoever asks", async () => {
      const open = create();
      const stores = [await open(), await open(), await open()];
      let inside = 0;
      let most = 0;
      const work = async () => {
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
      };
      await Promise.all(stores.flatMap((store) => [1, 2, 3].map(() => store.exclusive("name", work))));
      expect(most).toBe(1);
      expect(inside).toBe(0);
    });

    it("does work under another name meanwhile", async () => {
      const store = await create()();
      expect(await store.exclusive("one", () => store.exclusive("two", async () => "inside"))).toBe("inside");
    });

    it("lets the next one in when work fails, and tells of the failure", async () => {
      const store = await create()();
      const broken = store.exclusive("name", () => Promise.reject(new Error("broken")));
      await expect(broken).rejects.toThrow("broken");
      expect(await store.exclusive("name", async () => "next")).toBe("next");
    });

    it("does not begin work that nobody waits for any more", async () => {
      const open = create();
      const [first, second] = [await open(), await open()];
      const controller = new AbortController();
      const began: string[] = [];
      let waiting: Promise<unknown> = Promise.resolve();
      await first.exclusive("name", async () => {
        waiting = second.exclusive("name", async () => void began.push("work"), controller.signal);
        waiting.catch(() => {});
        controller.abort();
      });
      await expect(waiting).rejects.toThrow();
      expect(began).toEqual([]);
    });
  });
}
