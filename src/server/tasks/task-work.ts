import type { Call, Principal } from "../../contract/call.ts";
import { toOwner } from "../../contract/principal.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import type { ClientDeclaration } from "../../protocol/model/identity.ts";
import type { JournalRecord } from "../replay/journal.ts";

/** What a worker must know to do a call in its caller's place. JSON. */
export interface TaskWork {
  readonly id: RequestId;
  /** Those of the call, without what belonged to its rounds. */
  readonly params: JsonObject;
  readonly revision: string;
  readonly client: ClientDeclaration;
  readonly principal?: Principal | undefined;
}

/** What one run of a handler leaves for the next. JSON. */
export interface TaskRecord {
  readonly journal?: JournalRecord | undefined;
  /** What a handler that asks by hand gave along. */
  readonly text?: string | undefined;
  /** Runs that were begun since the task last asked, and ended in nothing. */
  readonly attempts?: number | undefined;
}

export function toWork({ id, params, revision, client, principal }: Call): TaskWork {
  const { task: _, requestState: __, inputResponses: ___, ...others } = params;
  return { id, params: others, revision: revision.version, client, principal };
}

/** In whose list a task stands: nobody in particular sees those of its own session. */
export function listerOf({ principal, session }: Call): string {
  if (principal !== undefined) return toOwner(principal);
  return session === undefined ? "" : `session ${session.id}`;
}

/** Who can run a task: several servers of one name may be mounted in another. */
export function toQueueName(server: string, path: readonly string[] = []): string {
  return path.length === 0 ? server : JSON.stringify([...path, server]);
}
