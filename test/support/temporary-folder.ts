import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of its own for one test. Short, because the path of a unix socket may have 107 bytes. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "as-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
