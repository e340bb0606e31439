import type { Principal } from "../../contract/caller/principal.ts";
import type { Pipe } from "../../contract/pipe.ts";
import { isServable, type Servable } from "../../contract/service.ts";
import { waitAtMost } from "../../lib/async/wait-at-most.ts";
import { nextTurn } from "../../lib/async/yield-turn.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { servePipe } from "../../peer/server-connection.ts";
import { createMemoryPipe } from "../../transports/memory/pipe.ts";
import { MessageNames, toMatchKey } from "./describe-message.ts";
import { compareValues, type Difference, type ReplayReport, toReplayReport } from "./difference.ts";
import { FreeValues, withoutFree } from "./free-values.ts";
import { isLasting, isTaskNotification, shownTask, timingPaths, waitForState } from "./task-states.ts";
import { type Transcript, type TranscriptEntry, toContent, type WireMessage } from "./transcript.ts";

/** A server value, with the caller it takes us for if that matters, or the client's end of a pipe to any server. */
export type ReplayTarget = Servable | { readonly server: Servable; readonly principal?: Principal } | Pipe;

export interface ReplayOptions {
  /**
   * Places that may differ, such as `result.structuredContent.celsius`; `*` stands for one part, as in
   * `result.content[*].text`, and all below a place is ignored with it.
   */
  readonly ignore?: readonly string[] | undefined;
  /** The longest wait for a message that was recorded, in milliseconds. Default 2,000. */
  readonly waitMs?: number | undefined;
}

const defaultWaitMs = 2_000;

/** Has a recorded conversation again, in the place of the client. */
export async function replayToServer(
  transcript: Transcript,
  target: ReplayTarget,
  options: ReplayOptions,
): Promise<ReplayReport> {
  const pipe = openPipe(target);
  try {
    const conversation = new Conversation(pipe, options);
    for (const [index, entry] of transcript.entries.entries()) await conversation.goOn(entry, index + 2);
    await nextTurn();
    return conversation.end();
  } finally {
    await pipe.close();
  }
}

/** A conversation with a live server that follows a recorded one. */
class Conversation {
  readonly #pipe: Pipe;
  readonly #inbox: Inbox;
  readonly #ignore: readonly string[];
  readonly #waitMs: number;
  readonly #values = new FreeValues();
  readonly #names = new MessageNames();
  readonly #differences: Difference[] = [];
  /** The metadata that the client sends with each request. */
  #meta: JsonObject = {};
  #looks = 0;

  constructor(pipe: Pipe, { ignore = [], waitMs = defaultWaitMs }: ReplayOptions) {
    this.#pipe = pipe;
    this.#inbox = new Inbox(pipe);
    this.#ignore = ignore;
    this.#waitMs = waitMs;
  }

  /** Sends what the client sent, or waits for what the server sent and compares it. */
  async goOn(entry: TranscriptEntry, line: number): Promise<void> {
    const name = this.#names.of(entry, line);
    const { message } = entry;
    if (entry.from === "client") {
      if (message !== undefined) this.#meta = metaOf(message) ?? this.#meta;
      return this.#pipe.write(toText(entry, this.#values));
    }
    if (message === undefined) return;
    if (isTaskNotification(message)) return this.#followTask(message, name);
    const expected = this.#values.translate(message, "server");
    const came = await this.#inbox.take(toMatchKey(expected), this.#waitMs);
    if (came === undefined) {
      this.#differences.push({ kind: "missing", message: name, wire: message });
      return;
    }
    this.#values.learn(message, came, "server");
    const task = shownTask(message);
    if (task === undefined) return this.#compare(name, message, came);
    if (!isLasting(task)) return this.#compare(name, message, came, timingPaths);
    const reached = (await this.#look(task, came)) ?? came;
    // The answer may be one to a later look.
    this.#compare(name, message, { ...(reached as JsonObject), id: (came as JsonObject).id });
  }

  end(): ReplayReport {
    for (const wire of this.#inbox.rest())
      if (!isTaskNotification(wire))
        this.#differences.push({
          kind: "unexpected",
          message: this.#names.of({ at: 0, from: "server", message: wire }),
          wire,
        });
    return toReplayReport(this.#differences);
  }

  #compare(name: string, recorded: WireMessage, live: WireMessage, timing: readonly string[] = []): void {
    const changed = compareValues(withoutFree(recorded, "server"), withoutFree(live, "server"), [
      ...this.#ignore,
      ...timing,
    ]);
    this.#differences.push(
      ...changed.map((change) => ({ kind: "changed", message: name, ...change }) as const),
    );
  }

  /** Waits until a task is as a notification described it, which may not come this time, and compares it if it has ended. */
  async #followTask(notification: JsonObject, name: string): Promise<void> {
    const task = shownTask(notification);
    if (task === undefined || !isLasting(task)) return;
    const reached = await this.#look(task);
    const live = reached === undefined ? undefined : shownTask(reached);
    if (live === undefined) {
      this.#differences.push({ kind: "missing", message: name, wire: notification });
      return;
    }
    if (task.inputRequests !== undefined) return;
    const { _meta, resultType, ...params } = live;
    const { _meta: recordedMeta, ...recorded } = task;
    const { method } = notification;
    this.#compare(name, { method, params: recorded }, { method, params });
  }

  /** Asks for a task until it is as recorded; gives the last answer. */
  #look(task: JsonObject, first?: WireMessage): Promise<WireMessage | undefined> {
    const endsAt = performance.now() + this.#waitMs;
    return waitForState(task, first, async () => {
      const left = endsAt - performance.now();
      if (left <= 0) return undefined;
      const id = `look ${++this.#looks}`;
      const params = { taskId: task.taskId, _meta: this.#meta };
      const request = { jsonrpc: "2.0", id, method: "tasks/get", params };
      const { taskId } = (this.#values.translate(request, "client") as { params: JsonObject }).params;
      await this.#pipe.write(JSON.stringify({ ...request, params: { ...params, taskId } }));
      return this.#inbox.take(toMatchKey({ id }), left);
    });
  }
}

/** The metadata of a request, less what belongs to this one alone. */
function metaOf(message: WireMessage): JsonObject | undefined {
  if (!isObject(message) || message.id === undefined || !isObject(message.params)) return undefined;
  if (!isObject(message.params._meta)) return undefined;
  const { progressToken, ...meta } = message.params._meta;
  return meta;
}

function openPipe(target: ReplayTarget): Pipe {
  if (!isServable(target) && "write" in target) return target;
  const { server, principal } = isServable(target) ? { server: target } : target;
  const [near, far] = createMemoryPipe();
  servePipe(server, far, { principal });
  return near;
}

function toText({ message, text = "" }: TranscriptEntry, values: FreeValues): string {
  return message === undefined ? text : JSON.stringify(values.translate(message, "client"));
}

/** The messages of a live server that no recorded one was compared with yet. */
class Inbox {
  readonly #messages: WireMessage[] = [];
  #wake: () => void = () => {};
  #isClosed = false;

  constructor(pipe: Pipe) {
    pipe.start({
      onText: (text) => {
        const { message } = toContent(text);
        if (message !== undefined) this.#messages.push(message);
        this.#wake();
      },
      onUnreadable: () => {},
      onStrayOutput: () => {},
      onClose: () => {
        this.#isClosed = true;
        this.#wake();
      },
    });
  }

  /** The first message with this key; undefined if none comes in time. */
  async take(key: string, waitMs: number): Promise<WireMessage | undefined> {
    const endsAt = performance.now() + waitMs;
    for (;;) {
      const at = this.#messages.findIndex((message) => toMatchKey(message) === key);
      if (at >= 0) return this.#messages.splice(at, 1)[0];
      const left = endsAt - performance.now();
      if (this.#isClosed || left <= 0) return undefined;
      const arrival = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await waitAtMost(left, arrival, () => {});
    }
  }

  rest(): readonly WireMessage[] {
    return this.#messages;
  }
}
