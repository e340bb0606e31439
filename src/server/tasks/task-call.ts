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

/** A call that runs as a task: its caller was answered already and may be gone. */
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
      // Progress is stored with the task, whether or not the call had a token.
      _meta: { progressToken: parts.taskId, ...meta },
      inputResponses: parts.inputResponses,
    };
  }

  get closing(): AbortSignal {
    return this.signal;
  }

  /** Stores progress with the task. Other notifications have no receiver. */
  async notify(method: string, { progressToken: _, ...progress }: JsonObject): Promise<void> {
    if (method === "notifications/progress") await this.#onProgress(progress);
  }

  disconnect(): void {}

  async ask(): Promise<JsonObject> {
    throw invalidRequest("A task can't send requests to its caller; it asks through its stored questions.");
  }
}

/** The call as it is stored with a task, as JSON. */
export interface TaskWork {
  readonly id: RequestId;
  /** The params of the call, without those of its rounds. */
  readonly params: JsonObject;
  readonly revision: string;
  readonly client: ClientDeclaration;
  readonly principal?: Principal | undefined;
}

/** The record that one run of a task leaves for the next, as JSON. */
export interface TaskRecord {
  readonly journal?: JournalRecord | undefined;
  /** The state that a handler passed to `inputRequired`. */
  readonly text?: string | undefined;
  /** The runs since the last question that ended without a result. */
  readonly attempts?: number | undefined;
}

export function toWork({ id, params, revision, client, principal }: Call): TaskWork {
  const { task: _, requestState: __, inputResponses: ___, ...others } = params;
  return { id, params: others, revision: revision.version, client, principal };
}

/** The owner of the list that shows a task: a principal, or the session of a caller without one. */
export function listerOf({ principal, session }: Call): string {
  if (principal !== undefined) return toOwner(principal);
  return session === undefined ? "" : `session ${session.id}`;
}

/** The queue of a server's tasks. It includes the mount path, because servers of one name may be mounted twice. */
export function toQueueName(server: string, path: readonly string[] = []): string {
  return path.length === 0 ? server : JSON.stringify([...path, server]);
}
