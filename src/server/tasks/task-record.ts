import type { Call } from "../../contract/call.ts";
import type { Principal } from "../../contract/caller/principal.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import type { ClientDeclaration } from "../../protocol/model/identity.ts";
import type { LogLevel } from "../../protocol/model/logging.ts";
import type { JournalRecord } from "../replay/journal.ts";

/** The call as it is stored with a task, as JSON. */
export interface TaskWork {
  readonly id: RequestId;
  /** The params of the call, without those of its rounds. */
  readonly params: JsonObject;
  readonly revision: string;
  readonly client: ClientDeclaration;
  readonly principal?: Principal | undefined;
  /** The log level that the session of the caller had set. */
  readonly logLevel?: LogLevel | undefined;
  /** The values of middlewares whose keys are `stored`, by name. */
  readonly values?: JsonObject | undefined;
}

/** The record that one run of a task leaves for the next, as JSON. */
export interface RunRecord {
  readonly journal?: JournalRecord | undefined;
  /** The state that a handler passed to `inputRequired`. */
  readonly text?: string | undefined;
  /** The runs since the last question that ended without a result. */
  readonly attempts?: number | undefined;
  /** The log messages of the runs that asked. */
  readonly logged?: number | undefined;
}

export function toWork({ id, params, revision, client, principal, session, given }: Call): TaskWork {
  const { task: _, requestState: __, inputResponses: ___, ...others } = params;
  const stored = given?.toStored();
  return {
    id,
    params: others,
    revision: revision.version,
    client,
    principal,
    ...(session?.logLevel && { logLevel: session.logLevel }),
    ...(stored && { values: stored }),
  };
}

/** The queue of a server's tasks. It includes the mount path, because servers of one name may be mounted twice. */
export function toQueueName(server: string, path: readonly string[] = []): string {
  return path.length === 0 ? server : JSON.stringify([...path, server]);
}
