// SQLite needs a newer Node than the rest: the matrix runs over it in a vitest of its own.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { node22 } from "../../support/node22.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** A real disk takes its time. */
const memoryDisk = "/dev/shm";

it.skipIf(node22 === undefined)(
  "three nodes over one file of SQLite do all that the matrix says, in every revision",
  { timeout: 240_000 },
  async () => {
    const config = "test/matrix/nodes/vitest.config.ts";
    const args = ["node_modules/vitest/vitest.mjs", "run", "--config", config];
    const child = spawn(node22 ?? "", args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1", TMPDIR: existsSync(memoryDisk) ? memoryDisk : tmpdir() },
    });
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const summary = /^ +Tests .*$/m.exec(output)?.[0];
    expect(summary, `${output}\n${errors}`).toMatch(/^ +Tests +\d+ passed/);
  },
);
