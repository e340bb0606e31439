import { parseStoredObject } from "../parse-stored.ts";
import type { StoredSession } from "../state.ts";
import { fromStoredText, toStoredText } from "./stored-text.ts";

export function encodeSession(session: StoredSession): string {
  return toStoredText(JSON.stringify(session));
}

export function decodeSession(text: string): StoredSession {
  const session = parseStoredObject<StoredSession>(fromStoredText(text));
  // JSON leaves out members that are undefined.
  return { ...session, logLevel: session.logLevel };
}
