import { StoredFormatError } from "../errors.ts";

/**
 * An entry of the store, which is JSON. One that can't be read fails what needs it, and takes the store from nobody: an
 * error of ours is an answer of the store. A format that older nodes must not read begins with another character than JSON.
 */
export function parseStored(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error of the parser shows a part of the entry, and errors are logged.
    throw unreadableEntry();
  }
}

/** The same for an entry that must be an object or a list. */
export function parseStoredObject<T extends object>(text: string): T {
  const value = parseStored(text);
  if (typeof value !== "object" || value === null) throw unreadableEntry();
  return value as T;
}

export function unreadableEntry(): StoredFormatError {
  return new StoredFormatError(
    "An entry of the store can't be read: another program, or another version of allspeak, has written it. Give each program a store or a prefix of its own, and update all nodes.",
  );
}
