import type { Call, Session } from "../../contract/call.ts";
import { invalidRequest } from "../../protocol/wire-error.ts";

/** The session of a call; throws where the revision or the transport has none. */
export function requireSession({ session }: Call): Session {
  if (session) return session;
  throw invalidRequest("This method needs a session, and the connection has none.");
}
