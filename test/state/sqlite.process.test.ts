// SQLite needs a newer Node than the rest: its tests, in test/state/sqlite, run in a vitest of their own.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { UsageError } from "allspeak";
import { sqlite } from "allspeak/state/sqlite";
import { describe, expect, it } from "vitest";
import { node22 } from "../support/node22.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Hundreds of files are made, and a real disk takes its time for each. */
const memoryDisk = "/dev/shm";

describe.skipIf(node22 === undefined)(
  "SQLite, which needs Node 22.13 (npm run conformance installs one)",
  () => {
    it("does all that test/state/sqlite says", { timeout: 240_000 }, async () => {
      const config = "test/state/sqlite/vitest.config.ts";
      const child = spawn(node22 ?? "", ["node_modules/vitest/vitest.mjs", "run", "--config", config], {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...process.env,
          NO_COLOR: "1",
          TMPDIR: existsSync(memoryDisk) ? memoryDisk : tmpdir(),
        },
      });
      const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const summary = /^ +Tests .*$/m.exec(output)?.[0];
      expect(summary, `${output}\n${errors}`).toMatch(/^ +Tests +\d+ passed \(\d+\)$/);
    });
  },
);

describe.skipIf(process.getBuiltinModule("node:sqlite") !== undefined)("SQLite on an older Node", () => {
  it("says which Node it needs", () => {
    expect(() => sqlite("state.db")).toThrow(UsageError);
    expect(() => sqlite("state.db")).toThrow(/needs node:sqlite, .*Node 22\.13.*; this is v20/);
  });
});
