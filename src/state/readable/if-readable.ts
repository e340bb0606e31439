import { StoredFormatError } from "../../errors.ts";

/** What `read` returns; undefined where it fails because an entry of the store can't be read. */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof StoredFormatError) return undefined;
    throw error;
  }
}
