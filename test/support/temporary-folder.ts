import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Takes what must be done when a test, or a group of tests, is over. */
export type OnDone = (clean: () => Promise<void> | void) => void;

/** A folder of its own for one test. Short, because the path of a unix socket may have 107 bytes. */
export function createTemporaryFolder(onDone: OnDone = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "as-"));
  onDone(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
