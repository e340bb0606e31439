import { InvalidResponseError, ReplayError, type RequiredUrlElicitation } from "../../errors.ts";
import { settlesWithin } from "../../lib/async/wait-at-most.ts";
import { nextTurn } from "../../lib/async/yield-turn.ts";
import type { JsonObject } from "../../lib/json.ts";
import { ignoreUnhandledRejections } from "../../platform/unhandled-rejections.ts";
import type { AskStrategy, EncodedQuestion, InputRequest, OpenQuestions } from "./ask-strategy.ts";
import type { Journal, JournalRecord } from "./journal.ts";
import { OnceResults, type SaveOnceResult } from "./once-results.ts";
import { QuestionNames } from "./question-names.ts";
import { isSuspension, Suspension } from "./suspension.ts";

interface OpenAsk {
  readonly method: string;
  readonly params: JsonObject;
  readonly end: (reason: Error) => void;
}

/** The time that a handler has to clean up after one of its questions has ended it. */
const cleaningMs = 50;

/** The time that a `once` may take while questions are open. After it, the `once` is assumed to wait for a question. */
const onceMs = 60_000;

/** The time that a run has to repeat all its earlier questions; other nodes may be slower. */
const lateMs = 2_000;

/**
 * One run of a handler from the top, against the journal of its earlier runs.
 *
 * Answered questions are answered from the journal. At an unanswered one the run ends, but not before a
 * turn of the event loop passes without a further question, so that parallel questions make one round.
 */
export class ReplayAskStrategy implements AskStrategy {
  readonly #journal: Journal;
  readonly #names = new QuestionNames();
  readonly #onces: OnceResults;
  readonly #open = new Map<string, OpenAsk>();
  readonly #running = new Set<Promise<unknown>>();
  #suspension: Suspension | undefined;
  #isOver = false;
  #over: (() => void) | undefined;

  /** `save` stores the result of a `once` before the handler gets it, where the journal alone is not enough. */
  constructor(journal: Journal, save: SaveOnceResult = () => {}) {
    this.#journal = journal;
    this.#onces = new OnceResults(journal.onces, async (key, record) => {
      journal.addOnce(key, record);
      await save(key, record);
    });
  }

  name(key: string | undefined): string {
    return this.#names.assign(key);
  }

  async ask<T>({ key, method, params, read }: EncodedQuestion<T>): Promise<T> {
    if (this.#suspension) throw this.#suspension;
    const response = this.#journal.responseTo(key, method, params);
    if (response) {
      // A copy, because the handler may change it, and the journal must not change.
      const answer = await this.#track(readValid(structuredClone(response), read));
      if (answer) {
        this.#journal.accept(key, response);
        return answer.value;
      }
    }
    return this.#waitForAnotherRound(key, method, params);
  }

  async once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    if (this.#suspension && !this.#onces.has(key)) throw this.#suspension;
    return this.#track(this.#onces.run(key, run));
  }

  record(): JournalRecord {
    return this.#journal.toRecord();
  }

  /** Ends the run. Returns its open questions; undefined if every question was answered. */
  conclude(outcome: { readonly error?: unknown }): OpenQuestions | undefined {
    this.#isOver = true;
    this.#over?.();
    if (this.#suspension === undefined) return undefined;
    if (!isSuspension(outcome.error)) throw swallowed([...this.#open.keys()], outcome.error);
    this.#journal.assertAllSeen();
    return this.#toOpen([...this.#open].map(([key, { method, params }]) => [key, { method, params }]));
  }

  requireUrlElicitations(elicitations: readonly RequiredUrlElicitation[]): OpenQuestions {
    const method = "elicitation/create";
    return this.#toOpen(
      elicitations.map(({ message, url }) => [
        this.name("url"),
        { method, params: { mode: "url", message, url } },
      ]),
    );
  }

  #toOpen(questions: readonly (readonly [key: string, InputRequest])[]): OpenQuestions {
    return {
      inputRequests: Object.fromEntries(questions),
      record: this.#journal.toRecord(this.#journal.rounds + 1),
    };
  }

  /** Awaits work that must settle before the run is suspended. */
  async #track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }

  #waitForAnotherRound(key: string, method: string, params: JsonObject): Promise<never> {
    if (this.#open.size === 0 && !this.#isOver) void this.#suspendWhenQuiet();
    return new Promise((_, end) => {
      this.#open.set(key, { method, params, end });
    });
  }

  async #suspendWhenQuiet(): Promise<void> {
    let deadline: number | undefined;
    const isLate = () => {
      if (this.#journal.missing === undefined) return false;
      deadline ??= performance.now() + lateMs;
      return performance.now() < deadline;
    };
    for (let isQuiet = false; !isQuiet && !this.#isOver; ) {
      const seen = this.#open.size;
      await nextTurn();
      const { size } = this.#running;
      if (size > 0 && !(await settlesWithin(onceMs, Promise.allSettled(this.#running))))
        return this.#endQuestions(stuck([...this.#open.keys()]));
      isQuiet = size === 0 && seen === this.#open.size && !isLate();
    }
    if (this.#isOver) return;
    ignoreUnhandledRejections(isSuspension);
    this.#suspension = new Suspension();
    await this.#endQuestions(this.#suspension);
  }

  /**
   * Rejects the questions one after the other until the handler has ended. The rest stay pending: after
   * the end nothing may await them, and an unhandled rejection ends the process.
   */
  async #endQuestions(reason: Error): Promise<void> {
    for (const { end } of this.#open.values()) {
      if (this.#isOver) return;
      end(reason);
      await this.#overOr(cleaningMs);
    }
  }

  #overOr(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#over = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Reads an answer. An invalid one counts as none, so that the question is asked again. */
async function readValid<T>(
  response: JsonObject,
  read: (answer: JsonObject) => Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await read(response) };
  } catch (error) {
    if (error instanceof InvalidResponseError) return undefined;
    throw error;
  }
}

function stuck(keys: readonly string[]): ReplayError {
  const names = keys.map((key) => `"${key}"`).join(", ");
  return new ReplayError(
    "within-once",
    `ctx.once has run for a minute while the question ${names} waits for it; ask before or after ctx.once, never inside it.`,
  );
}

function swallowed(keys: readonly string[], cause: unknown): ReplayError {
  const names = keys.map((key) => `"${key}"`).join(", ");
  return new ReplayError(
    "swallowed",
    `The handler caught the error that ends it at the question ${names}, and went on; do not catch it, or throw it again if isSuspension(error).`,
    { cause },
  );
}
