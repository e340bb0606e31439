import type { Call } from "../../contract/call.ts";
import { type Principal, toOwner } from "../../contract/principal.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import type { ClientDeclaration } from "../../protocol/model/identity.ts";
import type { Revision } from "../../protocol/revision.ts";
import { invalidRequest } from "../../protocol/wire-error.ts";
import type { State } from "../../state/state.ts";
import type { JournalRecord } from "../replay/journal.ts";

export interface TaskCallParts {
  readonly taskId: string;
  readonly revision: Revision;
  readonly inputResponses: JsonObject;
  readonly state: State;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JsonObject) => Promise<void>;
}

/** A call whose caller has been answered with a task and may be gone. */
export class TaskCall implements Call {
  readonly id: RequestId;
  readonly method = "tools/call";
  readonly params: JsonObject;
  readonly revision: Revision;
  readonly client: ClientDeclaration;
  readonly principal: Principal | undefined;
  readonly session = undefined;
  readonly state: State;
  readonly signal: AbortSignal;
  readonly #onProgress: (progress: JsonObject) => Promise<void>;

  constructor(work: TaskWork, parts: TaskCallParts) {
    this.id = work.id;
    this.revision = parts.revision;
    this.client = work.client;
    this.principal = work.principal;
    this.state = parts.state;
    this.signal = parts.signal;
    this.#onProgress = parts.onProgress;
    const meta = isObject(work.params._meta) ? work.params._meta : {};
    this.params = {
      ...work.params,
      // How far a task is can be told whether or not the call asked to hear of it.
      _meta: { progressToken: parts.taskId, ...meta },
      inputResponses: parts.inputResponses,
    };
  }

  get closing(): AbortSignal {
    return this.signal;
  }

  /** Progress is kept with the task; for anything else there is nobody to tell. */
  async notify(method: string, { progressToken: _, ...progress }: JsonObject): Promise<void> {
    if (method === "notifications/progress") await this.#onProgress(progress);
  }

  disconnect(): void {}

  async ask(): Promise<JsonObject> {
    throw invalidRequest("A task asks through its owner, who may be anywhere.");
  }
}

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
