import type { Call } from "../../contract/call.ts";
import type { Principal } from "../../contract/caller/principal.ts";
import { ContextValues } from "../../contract/context-key.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import { readProgressToken } from "../../protocol/meta.ts";
import type { ClientDeclaration } from "../../protocol/model/identity.ts";
import type { Revision } from "../../protocol/revision.ts";
import { invalidRequest } from "../../protocol/wire-error.ts";
import type { State } from "../../state/state.ts";
import type { TaskWork } from "./task-record.ts";

export interface TaskCallParts {
  readonly taskId: string;
  readonly revision: Revision;
  readonly inputResponses: JsonObject;
  readonly state: State;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JsonObject) => Promise<void>;
  readonly onLog: (message: JsonObject) => Promise<void>;
}

/** A call that runs as a task: its caller was answered already and may be gone. */
export class TaskCall implements Call {
  readonly id: RequestId;
  readonly method = "tools/call";
  readonly params: JsonObject;
  readonly revision: Revision;
  readonly client: ClientDeclaration;
  readonly principal: Principal | undefined;
  readonly given: ContextValues;
  readonly session = undefined;
  readonly state: State;
  readonly signal: AbortSignal;
  readonly #onProgress: (progress: JsonObject) => Promise<void>;
  readonly #onLog: (message: JsonObject) => Promise<void>;

  constructor(work: TaskWork, parts: TaskCallParts) {
    this.id = work.id;
    this.revision = parts.revision;
    this.client = work.client;
    this.principal = work.principal;
    this.given = new ContextValues(new Map(), work.values);
    this.state = parts.state;
    this.signal = parts.signal;
    this.#onProgress = parts.onProgress;
    this.#onLog = parts.onLog;
    const meta = isObject(work.params._meta) ? work.params._meta : {};
    this.params = {
      ...work.params,
      // Progress is stored with the task, whether or not the call had a token.
      _meta: { ...meta, progressToken: readProgressToken(work.params) ?? parts.taskId },
      inputResponses: parts.inputResponses,
    };
  }

  get closing(): AbortSignal {
    return this.signal;
  }

  /** Stores progress and log messages with the task. Other notifications have no receiver. */
  async notify(method: string, { progressToken: _, ...params }: JsonObject): Promise<void> {
    if (method === "notifications/progress") await this.#onProgress(params);
    if (method === "notifications/message") await this.#onLog(params);
  }

  disconnect(): void {}

  async ask(): Promise<JsonObject> {
    throw invalidRequest("A task can't send requests to its caller; it asks through its stored questions.");
  }
}
