import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** A thing that happened in a run, as the process that saw it wrote it down. */
export type HistoryEvent =
  | {
      readonly kind: "run";
      readonly title: string;
      readonly backend: string;
      readonly seed: number;
      readonly limits: Limits;
    }
  | { readonly kind: "fault"; readonly fault: string; readonly target: string }
  // An event of a stream: before it is handed to the state, when the state has it, and when that is not known.
  | { readonly kind: "publishing" | "published"; readonly stream: string; readonly n: number }
  | { readonly kind: "unpublished"; readonly stream: string; readonly n: number; readonly error: string }
  | {
      readonly kind: "subscribed";
      readonly client: string;
      readonly stream: string;
      readonly principal: string;
      /** Whether the client can come back to the stream. Default true. */
      readonly resumes?: boolean;
      /** Whether it can do so before it has received an event. Default true. */
      readonly resumesAtOnce?: boolean;
    }
  | {
      readonly kind: "received";
      readonly client: string;
      readonly stream: string;
      readonly n: number;
      /** The principal that the event is for, where it is for one. */
      readonly principal?: string | undefined;
    }
  // All clients leave, and get nothing any more.
  | { readonly kind: "leaving" }
  // A subscription of the client has ended; what it misses from now on it is told of.
  | { readonly kind: "cut"; readonly client: string }
  // The client was told that it may have missed events.
  | { readonly kind: "interrupted"; readonly client: string; readonly resumes: boolean }
  | {
      readonly kind: "calling";
      readonly call: string;
      readonly client: string;
      readonly name: string;
      readonly principal: string;
    }
  | { readonly kind: "answered"; readonly call: string; readonly echo: string; readonly principal: string }
  | { readonly kind: "refused"; readonly call: string; readonly error: string; readonly message: string }
  // One run of the handler of a task, and a result of the task that a client has seen.
  | { readonly kind: "attempt"; readonly task: string; readonly run: string }
  | { readonly kind: "completed"; readonly task: string; readonly run: string; readonly client: string };

export type HistoryEntry = HistoryEvent & {
  /** Milliseconds of the machine's monotonic clock, which all its processes share. */
  readonly at: number;
  readonly by: string;
};

/** The limits that a run has to stay within. */
export interface Limits {
  /** The longest time that a call may take to end. */
  readonly callMs: number;
  /** The longest pause between two events that were published, while events are offered. */
  readonly stallMs?: number;
  /** Runs that one task may need. */
  readonly attempts: number;
  /** The calls that may end in an error, by the name of the tool. Default: any. */
  readonly mayFail?: readonly string[];
}

/** Milliseconds of the machine's monotonic clock. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

/** Writes history to a file, line by line, at once: what was written survives the process. */
export class HistoryWriter {
  readonly #path: string;
  readonly #by: string;

  constructor(path: string, by: string) {
    this.#path = path;
    this.#by = by;
  }

  add(event: HistoryEvent): void {
    appendFileSync(this.#path, `${JSON.stringify({ at: monotonicMs(), by: this.#by, ...event })}\n`);
  }
}

/** Reads the histories of several files while they grow. */
export class HistoryFiles {
  readonly #files: { readonly path: string; read: number; rest: string }[];
  readonly #since: number;
  readonly #entries: HistoryEntry[] = [];

  /** Entries from before `since` are left out. */
  constructor(paths: readonly string[], since = 0) {
    this.#files = paths.map((path) => ({ path, read: 0, rest: "" }));
    this.#since = since;
  }

  /** All entries that there are by now. */
  read(): readonly HistoryEntry[] {
    for (const file of this.#files) {
      const bytes = existsSync(file.path) ? readFileSync(file.path) : Buffer.alloc(0);
      const lines = (file.rest + bytes.subarray(file.read).toString()).split("\n");
      file.read = bytes.length;
      file.rest = lines.pop() ?? "";
      for (const line of lines) this.#add(line);
    }
    return this.#entries;
  }

  #add(line: string): void {
    // A process that was killed may have left half a line.
    if (!line.startsWith("{") || !line.endsWith("}")) return;
    const entry = JSON.parse(line) as HistoryEntry;
    if (entry.at >= this.#since) this.#entries.push(entry);
  }
}

/** One history of the entries of several, in the order of their time. */
export function mergeHistories(...histories: readonly (readonly HistoryEntry[])[]): readonly HistoryEntry[] {
  return histories.flat().sort((a, b) => a.at - b.at);
}

export function toHistoryText(entries: readonly HistoryEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}
