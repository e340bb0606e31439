import { platform } from "#platform";
import { InvalidResponseError, ReplayError, type RequiredUrlElicitation } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { settlesWithin } from "../../lib/wait-at-most.ts";
import { nextTurn } from "../../lib/yield-turn.ts";
import type { AskStrategy, InputRequest, OpenQuestions, Question } from "./ask-strategy.ts";
import type { Journal, JournalRecord } from "./journal.ts";
import { OnceResults, type SaveOnceResult } from "./once-results.ts";
import { QuestionNames } from "./question-names.ts";
import { isSuspension, Suspension } from "./suspension.ts";

interface OpenAsk {
  readonly method: string;
  readonly params: JsonObject;
  readonly end: (reason: Error) => void;
}

/** How long a handler may take to clean up after one of its questions has ended it. */
const cleaningMs = 50;

/** How long what is done once may take while questions are open; longer, and it is taken to wait for them itself. */
const onceMs = 60_000;

/** How long a run may take to come to all that it asked before: what it does in between is not as quick on every node. */
const lateMs = 2_000;

/**
 * One run of a handler from the top, against the journal of its earlier runs.
 *
 * What was answered is answered from the journal. At what was not the run ends, as soon
 * as a turn of the event loop has brought no further question, so that questions asked
 * side by side make one round.
 */
export class Replay implements AskStrategy {
  readonly #journal: Journal;
  readonly #names = new QuestionNames();
  readonly #onces: OnceResults;
  readonly #open = new Map<string, OpenAsk>();
  readonly #doing = new Set<Promise<unknown>>();
  #suspension: Suspension | undefined;
  #isOver = false;
  #over: (() => void) | undefined;

  /** `note` keeps the result of a `once` at once, where more than the journal must know of it. */
  constructor(journal: Journal, note: SaveOnceResult = () => {}) {
    this.#journal = journal;
    this.#onces = new OnceResults(journal.onces, async (key, record) => {
      journal.addOnce(key, record);
      await note(key, record);
    });
  }

  name(key: string | undefined): string {
    return this.#names.assign(key);
  }

  async ask<T>({ key, method, params, read }: Question<T>): Promise<T> {
    if (this.#suspension) throw this.#suspension;
    const response = this.#journal.responseTo(key, method, params);
    if (response) {
      // A copy: the handler may change what it gets, and what is kept must stay as it was.
      const answer = await this.#do(readFitting(structuredClone(response), read));
      if (answer) {
        this.#journal.accept(key, response);
        return answer.value;
      }
    }
    return this.#waitForAnotherRound(key, method, params);
  }

  async once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    if (this.#suspension && !this.#onces.has(key)) throw this.#suspension;
    return this.#do(this.#onces.run(key, run));
  }

  record(): JournalRecord {
    return this.#journal.toRecord();
  }

  /** What a run that has come to its end left open; undefined when it asked nothing more. */
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

  /** Waits for what must be known before the run ends. */
  async #do<T>(doing: Promise<T>): Promise<T> {
    this.#doing.add(doing);
    try {
      return await doing;
    } finally {
      this.#doing.delete(doing);
    }
  }

  #waitForAnotherRound(key: string, method: string, params: JsonObject): Promise<never> {
    if (this.#open.size === 0 && !this.#isOver) void this.#suspendWhenQuiet();
    return new Promise((_, end) => {
      this.#open.set(key, { method, params, end });
    });
  }

  async #suspendWhenQuiet(): Promise<void> {
    const deadline = performance.now() + lateMs;
    const isLate = () => this.#journal.missing !== undefined && performance.now() < deadline;
    for (let isQuiet = false; !isQuiet && !this.#isOver; ) {
      const seen = this.#open.size;
      await nextTurn();
      const { size } = this.#doing;
      if (size > 0 && !(await settlesWithin(onceMs, Promise.allSettled(this.#doing))))
        return this.#endQuestions(stuck([...this.#open.keys()]));
      isQuiet = size === 0 && seen === this.#open.size && !isLate();
    }
    if (this.#isOver) return;
    platform.ignoreUnhandledRejections(isSuspension);
    this.#suspension = new Suspension();
    await this.#endQuestions(this.#suspension);
  }

  /**
   * One after the other, for as long as the handler goes on: when it has ended, nobody may be
   * left who waits for the rest, and a rejection that nobody waits for ends the process.
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

/** An answer that does not fit is none, so that the question is put again. */
async function readFitting<T>(
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
    `What is done once has not ended for a minute while ${names} is asked; ask before or after ctx.once, never within.`,
  );
}

function swallowed(keys: readonly string[], cause: unknown): ReplayError {
  const names = keys.map((key) => `"${key}"`).join(", ");
  return new ReplayError(
    "swallowed",
    `The handler caught what ends it at the question ${names} and went on; let errors of questions pass, or throw them again when isSuspension(error).`,
    { cause },
  );
}
