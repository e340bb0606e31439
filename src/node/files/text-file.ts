import { watch } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import { hasErrorCode } from "../../lib/errno.ts";

const maxBytes = 64 * 1024 * 1024;

/** The text of a file; throws UsageError for one that is missing or too large. */
export async function readTextFile(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) throw new UsageError(`The file ${path} has more than ${maxBytes} bytes.`);
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT"))
      throw new UsageError(`There is no file ${resolve(path)}.`, { cause: error });
    throw error;
  }
}

/**
 * Calls the listener when a file may have changed, until the returned function is called.
 *
 * The folder is watched, since editors replace a file by another of the same name. Keeps no process alive.
 */
export function watchTextFile(path: string, onChange: () => void): () => void {
  const name = basename(path);
  const watcher = watch(dirname(resolve(path)), { persistent: false }, (_event, changed) => {
    if (changed === null || changed === name) onChange();
  });
  // A folder that goes away can't be watched any more; its file counts as changed.
  watcher.on("error", () => {
    watcher.close();
    onChange();
  });
  return () => watcher.close();
}
