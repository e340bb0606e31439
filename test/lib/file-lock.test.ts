import fs, { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { FileLockLostError, withFileLock } from "../../src/lib/file-lock.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** A holder whose heart does not beat, as of a process that was stopped, until `wake` is called. */
function startStopped(lock: string, target: string): { wake(): void; readonly outcome: Promise<void> } {
  let wake = () => {};
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const outcome = withFileLock(
    lock,
    async (hold) => {
      await woken;
      await hold.replace(target, "old");
    },
    { beatMs: 60_000 },
  );
  outcome.catch(() => {});
  return { wake, outcome };
}

/** Replaces a function of the file system for one test. */
function patch<Name extends "rm" | "unlink" | "rename" | "readdir">(
  name: Name,
  replacement: (original: (...args: unknown[]) => Promise<unknown>, ...args: unknown[]) => Promise<unknown>,
): void {
  const original = fs.promises[name] as (...args: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(fs.promises, name);
  (
    spy as unknown as { mockImplementation(to: (...args: unknown[]) => Promise<unknown>): void }
  ).mockImplementation((...args) => replacement(original, ...args));
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

/** The name of a holder of this machine. */
async function readHolder(lock: string): Promise<string> {
  let holder = "";
  await withFileLock(lock, async () => {
    holder = readdirSync(lock)[0] ?? "";
  });
  return holder;
}

const noProcess = String(2 ** 30);
const elsewhere = "1-0123456789ab-00000000-0000-4000-8000-00000000000";

it("lets one at a time work, and leaves nothing behind", async () => {
  const folder = createTemporaryFolder();
  let working = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++working);
    await new Promise((resolve) => setTimeout(resolve, 2));
    working--;
  };
  await Promise.all(Array.from({ length: 12 }, () => withFileLock(join(folder, "lock"), work)));
  expect(most).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

it("replaces and removes files, and releases the lock when the work fails", async () => {
  const folder = createTemporaryFolder();
  const lock = join(folder, "lock");
  const target = join(folder, "target");
  await withFileLock(lock, (hold) => hold.replace(target, "new"));
  expect(readFileSync(target, "utf8")).toBe("new");
  await expect(withFileLock(lock, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  await withFileLock(lock, async (hold) => {
    await hold.remove(target);
    await hold.remove(target);
  });
  expect(readdirSync(folder)).toEqual([]);
});

it("a holder that wakes up after its lock was taken over writes and removes nothing", async () => {
  const folder = createTemporaryFolder();
  const lock = join(folder, "lock");
  const target = join(folder, "target");
  const stopped = startStopped(lock, target);
  await vi.waitFor(() => readdirSync(lock));
  await withFileLock(lock, (hold) => hold.replace(target, "new"), { staleMs: 100 });
  await withFileLock(lock, async () => {
    stopped.wake();
    await expect(stopped.outcome).rejects.toBeInstanceOf(FileLockLostError);
    // The lock of the next holder is still there.
    expect(readdirSync(lock)).toHaveLength(1);
  });
  expect(readFileSync(target, "utf8")).toBe("new");
  expect(readdirSync(folder)).toEqual(["target"]);
});

it("of several who find a dead holder, only one takes the lock", async () => {
  const folder = createTemporaryFolder();
  const lock = join(folder, "lock");
  let holder = "";
  await withFileLock(lock, async () => {
    holder = readdirSync(lock)[0] ?? "";
  });
  const dead = holder.replace(/^\d+/, String(2 ** 30));
  for (let round = 0; round < 20; round++) {
    mkdirSync(join(lock, dead), { recursive: true });
    writeFileSync(join(lock, dead, "draft-0"), "half");
    let working = 0;
    await Promise.all(
      Array.from({ length: 6 }, () =>
        withFileLock(lock, async () => {
          expect(++working).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          working--;
        }),
      ),
    );
  }
  expect(readdirSync(folder)).toEqual([]);
});

it("a takeover that was cut off half-way is finished by the next", async () => {
  const folder = createTemporaryFolder();
  const lock = join(folder, "lock");
  mkdirSync(join(lock, "1-elsewhere-x.gone"), { recursive: true });
  writeFileSync(join(lock, "1-elsewhere-x.gone", "draft-0"), "half");
  await withFileLock(lock, async () => expect(readdirSync(lock)).toHaveLength(1));
  expect(readdirSync(folder)).toEqual([]);
});

it("a holder that gives signs of life keeps the lock, whatever its clock says", async () => {
  const folder = createTemporaryFolder();
  const lock = join(folder, "lock");
  const entry = join(lock, "1-elsewhere-x");
  mkdirSync(entry, { recursive: true });
  let at = 0;
  const beat = setInterval(() => utimesSync(entry, ++at, at), 10);
  const waiting = withFileLock(lock, async () => {}, { staleMs: 400, signal: AbortSignal.timeout(900) });
  await expect(waiting).rejects.toThrow(/timeout/);
  clearInterval(beat);
  expect(readdirSync(folder)).toEqual(["lock"]);
  await withFileLock(lock, async () => {}, { staleMs: 50 });
});

it("a lock that takes the place of a file of an earlier version is not removed with it", async () => {
  const folder = createTemporaryFolder();
  const lock = join(folder, "lock");
  writeFileSync(lock, "{}");
  const takePlace = () => {
    rmSync(lock);
    mkdirSync(join(lock, `${elsewhere}1`), { recursive: true });
  };
  let isFirst = true;
  const takePlaceOnce = (path: unknown) => {
    if (path !== lock || !isFirst) return false;
    isFirst = false;
    takePlace();
    return true;
  };
  const removed = new AbortController();
  patch("unlink", (original, path) => {
    const isTaken = takePlaceOnce(path);
    return original(path).finally(() => isTaken && removed.abort());
  });
  // It looks at a path, finds a file, looks again, and finds a folder.
  patch("rm", (original, path, options) => {
    const isTaken = takePlaceOnce(path);
    return original(path, isTaken ? { recursive: true, force: true } : options).finally(
      () => isTaken && removed.abort(),
    );
  });
  const waiting = withFileLock(lock, async () => {}, { staleMs: 100, signal: removed.signal });
  await expect(waiting).rejects.toThrow(/abort/i);
  expect(readdirSync(lock)).toEqual([`${elsewhere}1`]);
});

it("removes the folders of processes that were killed while they waited", async () => {
  const folder = createTemporaryFolder();
  const lock = join(folder, "lock");
  const dead = (await readHolder(lock)).replace(/^\d+/, noProcess);
  const anHourAgo = new Date(Date.now() - 3_700_000);
  const old = [`lock.${elsewhere}1`, "lock.notes", `other.${elsewhere}2`];
  for (const name of [...old, `lock.${dead}`, `lock.${elsewhere}3`, `lock.${elsewhere}4.gone`])
    mkdirSync(join(folder, name, "inside"), { recursive: true });
  for (const name of old) utimesSync(join(folder, name), anHourAgo, anHourAgo);
  await withFileLock(lock, async () => {});
  expect(readdirSync(folder).sort()).toEqual([`lock.${elsewhere}3`, "lock.notes", `other.${elsewhere}2`]);
});

it("a process that waits gets the lock even if its folder was taken for a leftover", async () => {
  const folder = createTemporaryFolder();
  const lock = join(folder, "lock");
  let waiting: Promise<string[]> = Promise.resolve([]);
  await withFileLock(lock, async () => {
    waiting = withFileLock(lock, async () => readdirSync(lock));
    const aside = await vi.waitFor(() => {
      const found = readdirSync(folder).find((name) => name.startsWith("lock.")) ?? "";
      expect(readdirSync(join(folder, found))).toHaveLength(1);
      expect(found).not.toBe("");
      return found;
    });
    rmSync(join(folder, aside), { recursive: true });
  });
  expect(await waiting).toHaveLength(1);
  expect(readdirSync(folder)).toEqual([]);
});

it.runIf(process.platform === "linux")("a machine of the same name is another machine", async () => {
  const folder = createTemporaryFolder();
  const lock = join(folder, "lock");
  const here = await readHolder(lock);
  const original = fs.readFileSync;
  const spy = vi.spyOn(fs, "readFileSync").mockImplementation((path, options) => {
    return path === "/proc/sys/kernel/random/boot_id" ? "another boot" : original(path, options);
  });
  syncBuiltinESMExports();
  vi.resetModules();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
    vi.resetModules();
  });
  const there: typeof import("../../src/lib/file-lock.ts") = await import("../../src/lib/file-lock.ts");
  const living = here.replace(/^\d+/, noProcess);
  mkdirSync(join(lock, living), { recursive: true });
  const waiting = there.withFileLock(lock, async () => {}, { signal: AbortSignal.timeout(100) });
  await expect(waiting).rejects.toThrow(/timeout/);
  expect(readdirSync(lock)).toEqual([living]);
});

it.each(["EPERM", "EBUSY"])(
  "on Windows, a folder that another has open (%s) is tried again",
  async (code) => {
    const folder = createTemporaryFolder();
    const lock = join(folder, "lock");
    const dead = (await readHolder(lock)).replace(/^\d+/, noProcess);
    mkdirSync(join(lock, dead), { recursive: true });
    vi.spyOn(process, "platform", "get").mockReturnValue("win32");
    onTestFinished(() => void vi.restoreAllMocks());
    const failures = { rename: 2, readdir: 2 };
    const failFirst = (name: "rename" | "readdir", isMeant: (path: string) => boolean) =>
      patch(name, async (original, path, ...others) => {
        if (isMeant(String(path)) && failures[name]-- > 0) throw Object.assign(new Error(code), { code });
        return original(path, ...others);
      });
    failFirst("rename", (path) => path === join(lock, dead));
    failFirst("readdir", (path) => path === lock);
    await withFileLock(lock, async () => {});
    expect(failures.rename).toBeLessThan(1);
    expect(failures.readdir).toBeLessThan(1);
    expect(readdirSync(folder)).toEqual([]);
  },
);
