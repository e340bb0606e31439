import { checkStoredSession } from "../check-stored.ts";
import { parseStored } from "../parse-stored.ts";
import type { StoredSession } from "../state.ts";
import { fromStoredText, toStoredText } from "./stored-text.ts";

export function encodeSession(session: StoredSession): string {
  return toStoredText(JSON.stringify(session));
}

export function decodeSession(text: string): StoredSession {
  return checkStoredSession(parseStored(fromStoredText(text)));
}
