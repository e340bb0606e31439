import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileCredentialStore } from "allspeak/node";
import { expect, it, onTestFinished, vi } from "vitest";

it("a lock that another machine left behind, with its clock ahead, is taken over all the same", async () => {
  const folder = mkdtempSync(join(tmpdir(), "allspeak-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const name = createHash("sha256").update("login").digest("hex").slice(0, 40);
  const lock = join(folder, `${name}.lock`);
  writeFileSync(lock, JSON.stringify({ pid: 1, host: "elsewhere", token: "another's" }));
  const ahead = new Date(Date.now() + 3_600_000);
  utimesSync(lock, ahead, ahead);
  const store = await fileCredentialStore({ folder });
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let entered = false;
  const working = store.exclusive("login", async () => {
    entered = true;
  });
  await vi.waitFor(() => {
    vi.advanceTimersByTime(16_000);
    expect(entered).toBe(true);
  });
  await working;
});
