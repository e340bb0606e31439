import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileCredentialStore } from "allspeak/node";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const isWindows = process.platform === "win32";

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(ending));
}

describe("a file store", () => {
  it("keeps values for the next process", async () => {
    const folder = join(createTemporaryFolder(), "a", "b");
    await (await fileCredentialStore({ folder })).set("key", "value");
    expect(await (await fileCredentialStore({ folder })).get("key")).toBe("value");
  });

  it("writes nothing that could be read, neither in a name nor in a file", async () => {
    const folder = createTemporaryFolder();
    const store = await fileCredentialStore({ folder });
    await store.set("issuer-canary", "token-canary");
    for (const name of readdirSync(folder)) {
      expect(name).not.toContain("canary");
      expect(readFileSync(join(folder, name), "latin1")).not.toContain("canary");
    }
  });

  it.runIf(!isWindows)("is for this user only", async () => {
    const folder = join(createTemporaryFolder(), "store");
    const store = await fileCredentialStore({ folder });
    await store.set("key", "value");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it.runIf(!isWindows).each([
    ["lets nobody else write in a folder of this user", 0o777, 0o755],
    ["leaves a folder alone in which only this user can write", 0o750, 0o750],
    ["leaves a folder alone that all users share, such as /tmp", 0o1777, 0o1777],
  ])("%s", async (_, before, after) => {
    const folder = createTemporaryFolder();
    chmodSync(folder, before);
    await (await fileCredentialStore({ folder })).set("key", "value");
    expect(statSync(folder).mode & 0o7777).toBe(after);
  });

  it("is of no use without its key", async () => {
    const folder = createTemporaryFolder();
    const store = await fileCredentialStore({ folder, key: new Uint8Array(32).fill(1) });
    await store.set("key", "value");
    expect(filesIn(folder, "key")).toEqual([]);
    expect(
      await (await fileCredentialStore({ folder, key: new Uint8Array(32).fill(2) })).get("key"),
    ).toBeUndefined();
    expect(await (await fileCredentialStore({ folder, key: new Uint8Array(32).fill(1) })).get("key")).toBe(
      "value",
    );
  });

  it("does not take a file for another", async () => {
    const folder = createTemporaryFolder();
    const store = await fileCredentialStore({ folder });
    await store.set("mine", "good");
    const [mine = ""] = filesIn(folder, ".jwe");
    await store.set("theirs", "evil");
    const theirs = filesIn(folder, ".jwe").find((name) => name !== mine) ?? "";
    renameSync(join(folder, theirs), join(folder, mine));
    expect(await store.get("mine")).toBeUndefined();
  });

  it("takes a damaged file for none", async () => {
    const folder = createTemporaryFolder();
    const store = await fileCredentialStore({ folder });
    await store.set("key", "value");
    const [name = ""] = filesIn(folder, ".jwe");
    writeFileSync(join(folder, name), "half a fi");
    expect(await store.get("key")).toBeUndefined();
    await store.set("key", "value");
    expect(await store.get("key")).toBe("value");
  });

  it("does not take a file for none that can't be read", async () => {
    const folder = createTemporaryFolder();
    const store = await fileCredentialStore({ folder });
    await store.set("key", "value");
    const path = join(folder, filesIn(folder, ".jwe")[0] ?? "");
    rmSync(path);
    mkdirSync(path);
    await expect(store.get("key")).rejects.toMatchObject({
      code: "usage",
      message: `${path} can't be read (EISDIR), so the credentials in it are unknown; correct its permissions, or remove it and log in again.`,
      cause: { code: "EISDIR" },
    });
  });

  it("says what to do with a key that can't be read", async () => {
    const folder = createTemporaryFolder();
    mkdirSync(join(folder, "key"));
    const store = await fileCredentialStore({ folder });
    await expect(store.get("key")).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(/key can't be read \(EISDIR\).*permissions/),
    });
  });

  it("says what to do with a folder that can't be made", async () => {
    const file = join(createTemporaryFolder(), "file");
    writeFileSync(file, "");
    const store = await fileCredentialStore({ folder: join(file, "store") });
    await expect(store.get("key")).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(/store can't be used \(ENOTDIR\).*permissions/),
    });
  });

  it("leaves nothing lying around", async () => {
    const folder = createTemporaryFolder();
    const store = await fileCredentialStore({ folder });
    await Promise.all(Array.from({ length: 20 }, (_, index) => store.set("key", String(index))));
    await store.exclusive("name", async () => {});
    expect(readdirSync(folder).sort()).toEqual([expect.stringMatching(/^[0-9a-f]+\.jwe$/), "key"]);
  });

  it("refuses a key of the wrong size", async () => {
    await expect(fileCredentialStore({ folder: "unused", key: new Uint8Array(16) })).rejects.toThrow(
      "32 bytes",
    );
  });

  it("makes one key when several begin at once", async () => {
    const folder = createTemporaryFolder();
    const stores = await Promise.all([1, 2, 3, 4].map(() => fileCredentialStore({ folder })));
    await Promise.all(stores.map((store, index) => store.set(`key ${index}`, "value")));
    const fresh = await fileCredentialStore({ folder });
    for (const index of stores.keys()) expect(await fresh.get(`key ${index}`)).toBe("value");
  });
});

describe("work that excludes other work", () => {
  it("takes over from a process that is gone", async () => {
    const folder = createTemporaryFolder();
    const store = await fileCredentialStore({ folder });
    let lock = "";
    let holder = "";
    await store.exclusive("name", async () => {
      lock = join(folder, filesIn(folder, ".lock")[0] ?? "");
      holder = readdirSync(lock)[0] ?? "";
    });
    // No process has this number.
    mkdirSync(join(lock, holder.replace(/^\d+/, String(2 ** 30))), { recursive: true });
    expect(await store.exclusive("name", async () => "mine")).toBe("mine");
    expect(readdirSync(folder)).toEqual(["key"]);
  });

  it("a write that is begun by the work but comes after it needs no lock", async () => {
    const store = await fileCredentialStore({ folder: createTemporaryFolder() });
    await store.set("old", "value");
    let comeLater = () => {};
    const later = new Promise<void>((resolve) => {
      comeLater = resolve;
    });
    let writes: Promise<unknown> = Promise.resolve();
    await store.exclusive("name", async () => {
      writes = later.then(() => Promise.all([store.set("new", "value"), store.delete("old")]));
    });
    comeLater();
    await writes;
    expect(await store.get("new")).toBe("value");
    expect(await store.get("old")).toBeUndefined();
  });

  it("ends when the writes that it began have ended", async () => {
    const folder = createTemporaryFolder();
    const store = await fileCredentialStore({ folder });
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    let writes: Promise<unknown> = Promise.resolve();
    await store.exclusive("name", async () => {
      writes = Promise.all(keys.map((key) => store.set(key, "value")));
    });
    await writes;
    for (const key of keys) expect(await store.get(key)).toBe("value");
    expect(filesIn(folder, ".lock")).toEqual([]);
  });

  it("writes and deletes nothing after another took its lock over", async () => {
    const folder = createTemporaryFolder();
    const store = await fileCredentialStore({ folder });
    await store.set("key", "newer");
    await store.exclusive("name", async () => {
      const lock = join(folder, filesIn(folder, ".lock")[0] ?? "");
      for (const holder of readdirSync(lock)) rmSync(join(lock, holder), { recursive: true });
      const lost = { code: "usage", message: expect.stringContaining(folder) };
      await expect(store.set("key", "older")).rejects.toMatchObject(lost);
      await expect(store.delete("key")).rejects.toMatchObject(lost);
    });
    expect(await store.get("key")).toBe("newer");
  });
});
