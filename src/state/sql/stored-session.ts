import type { StoredSession } from "../state.ts";
import { fromStoredText, toStoredText } from "./stored-text.ts";

export function encodeSession(session: StoredSession): string {
  return toStoredText(JSON.stringify(session));
}

export function decodeSession(text: string): StoredSession {
  const session = JSON.parse(fromStoredText(text)) as StoredSession;
  // JSON leaves out members that are undefined.
  return { ...session, logLevel: session.logLevel };
}
