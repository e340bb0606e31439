import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
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
