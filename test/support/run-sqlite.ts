// SQLite needs a newer Node than the rest: its tests, in test/state/sqlite, run in a vitest of their own.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { node22 } from "./node22.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Hundreds of files are made, and a real disk takes its time for each. */
const memoryDisk = "/dev/shm";

/** Runs files of test/state/sqlite, or all of them, and expects every test to pass. */
export async function runSqlite(files: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const config = "test/state/sqlite/vitest.config.ts";
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", config, ...files];
  const child = spawn(node22 ?? "", args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...env,
      NO_COLOR: "1",
      TMPDIR: existsSync(memoryDisk) ? memoryDisk : tmpdir(),
    },
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const summary = /^ +Tests .*$/m.exec(output)?.[0];
  expect(summary, `${output}\n${errors}`).toMatch(/^ +Tests +\d+ passed \(\d+\)$/);
}
