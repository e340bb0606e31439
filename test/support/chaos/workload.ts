import type { Change, Client, ToolResult } from "allspeak/client";
import { fromEventUri, toEventUri } from "./chaos-server.ts";
import type { HistoryEvent } from "./history.ts";
import { pause } from "./pause.ts";

/** The revisions that a workload mixes: with sessions, and without. */
export type LoadRevision = "2025-03-26" | "2025-06-18" | "2025-11-25" | "2026-07-28";

export interface LoadClientOptions {
  readonly name: string;
  readonly principal: string;
  readonly revision: LoadRevision;
  readonly onLog: (data: unknown) => void;
  readonly onReconnected: () => void;
}

export interface Workload {
  /** Begins the names of all streams, clients and calls. */
  readonly prefix: string;
  readonly record: (event: HistoryEvent) => void;
  /** Connects a client through the balancer. */
  readonly connect: (options: LoadClientOptions) => Promise<Client>;
  readonly revisions: readonly LoadRevision[];
  /** Clients that listen, each to a stream of its own. */
  readonly listeners: number;
  /** Events of each stream. */
  readonly events: number;
  /** The pause between two events of one stream. */
  readonly everyMs: number;
  /** Clients that call, ask, stream and work, one thing after the other. */
  readonly callers: number;
  /** The kinds of calls that they make. Default: all. */
  readonly calls?: readonly CallName[];
  readonly random: () => number;
  /** Whether a call can be made in a revision here. Default: all can. */
  readonly canCall?: (name: CallName, revision: LoadRevision) => boolean;
  /** The number of events that were acknowledged and have not arrived. */
  readonly missing: () => number;
}

export type CallName = "echo" | "ask" | "stream" | "work";

const principals = ["anna", "bert", "carl"];
const batchSize = 50;
/** The time after which no more events will arrive: a slow machine takes long for many, but not for the next one. */
const restMs = 20_000;

/** Opens all clients; `run` makes them work until all events are published and have arrived, or it is too late. */
export class LoadRun {
  readonly #load: Workload;
  readonly #clients: Client[] = [];
  readonly #streams: string[] = [];
  readonly #publishers: Publisher[] = [];
  #calls = 0;
  #isOver = false;
  #isClosed = false;

  constructor(load: Workload) {
    this.#load = load;
  }

  async open(): Promise<void> {
    const { listeners } = this.#load;
    const waves = Array.from({ length: Math.ceil(listeners / batchSize) }, (_, wave) => wave * batchSize);
    for (const first of waves) {
      const count = Math.min(batchSize, listeners - first);
      await Promise.all(Array.from({ length: count }, (_, index) => this.#listen(first + index)));
    }
  }

  /** Publishes and calls; settles when everything has ended. */
  async run(): Promise<void> {
    const { callers } = this.#load;
    const calling = Promise.all(Array.from({ length: callers }, (_, index) => this.#callOn(index)));
    // Awaited below; until then a failure must not end the process.
    calling.catch(() => {});
    const chunks: string[][] = [];
    for (let at = 0; at < this.#streams.length; at += batchSize)
      chunks.push(this.#streams.slice(at, at + batchSize));
    await Promise.all(
      chunks.map((streams, index) => this.#publish(`${this.#load.prefix}publisher-${index}`, streams)),
    );
    this.#isOver = true;
    await calling;
    if (!(await this.#areAllArrived())) {
      // A client that had no id to come back with has missed what was under way. It shows by one more that it listens.
      await Promise.all(
        this.#publishers.map((publisher) => this.#publishOne(publisher, this.#load.events + 1)),
      );
      await this.#areAllArrived();
    }
    this.#load.record({ kind: "leaving" });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  /** Waits until no event is missing, or none has arrived for a time. */
  async #areAllArrived(): Promise<boolean> {
    let arrivedAt = performance.now();
    let before = Number.POSITIVE_INFINITY;
    while (performance.now() - arrivedAt < restMs) {
      const lookedAt = performance.now();
      const missing = this.#load.missing();
      if (missing === 0) return true;
      if (missing < before) arrivedAt = performance.now();
      before = missing;
      // A look at a long history takes a while, and nothing arrives meanwhile.
      await pause(Math.max(500, 2 * (performance.now() - lookedAt)));
    }
    return false;
  }

  async #connect(
    name: string,
    index: number,
  ): Promise<{ client: Client; principal: string; revision: LoadRevision }> {
    const { record, revisions } = this.#load;
    const principal = principals[index % principals.length] as string;
    const revision = revisions[index % revisions.length] as LoadRevision;
    const options: LoadClientOptions = {
      name,
      principal,
      revision,
      onReconnected: () => record({ kind: "interrupted", client: name, resumes: revision !== "2026-07-28" }),
      onLog: (data) => {
        const { stream, n, principal: owner } = data as { stream: string; n: number; principal: string };
        record({ kind: "received", client: name, stream, n, principal: owner });
      },
    };
    const client = await untilDone(() => this.#load.connect(options));
    this.#clients.push(client);
    // Without sessions, each request says which log messages it wants.
    if (revision === "2026-07-28") await client.setLogLevel("info");
    return { client, principal, revision };
  }

  /** Subscribes a client to all events of its stream. */
  async #listen(index: number): Promise<void> {
    const { record, events } = this.#load;
    const name = `${this.#load.prefix}listener-${index}`;
    const stream = `${this.#load.prefix}s${index}`;
    const { client, principal, revision } = await this.#connect(name, index);
    const resources = Array.from({ length: events + 1 }, (_, at) => toEventUri(stream, at + 1));
    const onChange = (change: Change) => {
      if (change.kind !== "resource") return;
      record({ kind: "received", client: name, ...fromEventUri(change.uri) });
    };
    const subscribe = async (): Promise<void> => {
      const { ended } = await untilDone(() => client.subscribe({ resources }, onChange));
      // A node that is closing ends subscriptions, and another takes them. If none does, that breaks a promise.
      void ended.then(async ({ by }) => {
        if (by === "client" || this.#isClosed) return;
        record({ kind: "cut", client: name });
        const isBack = await subscribe().then(
          () => true,
          () => false,
        );
        record({ kind: "interrupted", client: name, resumes: !isBack });
      });
    };
    await subscribe();
    // Only the newest revision with sessions gives an id with which to come back before the first event.
    const resumesAtOnce = revision === "2025-11-25" || revision === "2026-07-28";
    record({ kind: "subscribed", client: name, stream, principal, resumesAtOnce });
    this.#streams.push(stream);
  }

  async #publish(name: string, streams: readonly string[]): Promise<void> {
    const { events, everyMs } = this.#load;
    const { client, principal } = await this.#connect(name, 0);
    const publisher = { client, name, principal, streams };
    this.#publishers.push(publisher);
    for (let n = 1; n <= events; n++) {
      const startedAt = performance.now();
      await this.#publishOne(publisher, n);
      await pause(everyMs - (performance.now() - startedAt));
    }
  }

  async #publishOne({ streams, ...caller }: Publisher, n: number): Promise<void> {
    const batch = streams.map((stream) => ({ stream, n }));
    await this.#call(caller, "publish", async (id) => {
      await caller.client.tools.call("publish", { events: batch });
      return { echo: id, principal: caller.principal };
    });
  }

  async #callOn(index: number): Promise<void> {
    const { random, calls = ["echo", "ask", "stream", "work"], canCall = () => true } = this.#load;
    const name = `${this.#load.prefix}caller-${index}`;
    const { client, principal, revision } = await this.#connect(name, index);
    // Elicitation is newer than this revision.
    const possible = calls.filter(
      (call) => canCall(call, revision) && (call !== "ask" || revision !== "2025-03-26"),
    );
    while (!this.#isOver && possible.length > 0) {
      await this.#callOnce(
        { client, name, principal },
        possible[Math.floor(random() * possible.length)] as CallName,
      );
      await pause(random() * 100);
    }
  }

  async #callOnce(caller: Caller, name: CallName): Promise<void> {
    const { client } = caller;
    const call = (id: string, args: object) => client.tools.call(name, { id, ...args });
    switch (name) {
      case "echo":
      case "ask":
        return this.#call(caller, name, async (id) => toAnswer(await call(id, {})));
      case "stream":
        return this.#call(caller, name, async (id) => {
          this.#load.record({
            kind: "subscribed",
            client: caller.name,
            stream: id,
            principal: caller.principal,
            resumes: client.server.revision !== "2026-07-28",
          });
          return toAnswer(await call(id, { count: 10, everyMs: 100 }));
        });
      case "work":
        return this.#call(caller, name, (id) => this.#work(caller, id));
    }
  }

  /** Runs a task, and looks at its result twice. */
  async #work({ client, name }: Caller, id: string): Promise<Answer> {
    let taskId: string | undefined;
    const options = {
      task: true,
      onTask: (task: { readonly taskId: string }) => {
        taskId = task.taskId;
      },
    };
    const answer = toAnswer(await client.tools.call("work", { id, forMs: 300 }, options));
    const complete = ({ run = "" }: Answer) =>
      this.#load.record({ kind: "completed", task: id, run, client: name });
    complete(answer);
    if (taskId !== undefined) complete(toAnswer(await client.tasks.resume(taskId)));
    return answer;
  }

  async #call(caller: Caller, name: string, run: (id: string) => Promise<Answer>): Promise<void> {
    const { record } = this.#load;
    const call = `${this.#load.prefix}${name}-${++this.#calls}`;
    record({ kind: "calling", call, client: caller.name, name, principal: caller.principal });
    try {
      const { echo, principal } = await run(call);
      record({ kind: "answered", call, echo, principal });
    } catch (error) {
      const { name: kind, message } = error as Error;
      record({ kind: "refused", call, error: kind, message });
    }
  }
}

interface Caller {
  readonly client: Client;
  readonly name: string;
  readonly principal: string;
}

interface Publisher extends Caller {
  readonly streams: readonly string[];
}

interface Answer {
  readonly echo: string;
  readonly principal: string;
  readonly run?: string;
}

/** The answer of a tool, which is in its text, too, for revisions without structured content; one that failed throws. */
function toAnswer({ content, isError }: ToolResult<unknown>): Answer {
  const [first] = content;
  if (isError || first?.type !== "text") throw new Error(`The tool failed: ${JSON.stringify(content)}`);
  return JSON.parse(first.text) as Answer;
}

const maxAttempts = 20;

/** Tries again while connections break or the store is away; in the end it succeeds, or the run fails. */
async function untilDone<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await run();
    } catch (error) {
      if (attempt === maxAttempts) throw error;
      await pause(500);
    }
}
