import type { Timeout } from "../../contract/deadline.ts";
import type { RequiredUrlElicitation } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { AskMethod } from "../../protocol/model/input-required.ts";
import type { JournalRecord } from "./journal.ts";

/** The timeout for a question to a person, who takes time and sends no progress meanwhile. */
export const askTimeout: Timeout = { idle: 600_000, total: 600_000 };

/** A question to the client, encoded for its revision. */
export interface EncodedQuestion<T> {
  /** The name within the call. */
  readonly key: string;
  readonly method: AskMethod;
  readonly params: JsonObject;
  readonly timeout: Timeout | undefined;
  /** Asks as a task of the client, where questions are requests. */
  readonly isTask: boolean;
  /** Converts an answer for the handler; throws InvalidResponseError if the answer is invalid. */
  read(answer: JsonObject): Promise<T>;
}

/** The way in which one run of a handler asks its client and does things once. */
export interface AskStrategy {
  /** Assigns the name of the next question: `key`, or one by the order of asking; never one that is taken. */
  name(key: string | undefined): string;
  ask<T>(question: EncodedQuestion<T>): Promise<T>;
  once<T>(key: string, run: () => T | Promise<T>): Promise<T>;
  /** Ends the run. Returns the questions that it left open, where a run may leave some open. */
  conclude?(outcome: { readonly error?: unknown }): OpenQuestions | undefined;
  /** Makes open questions of URL elicitations that the run requires. */
  requireUrlElicitations?(elicitations: readonly RequiredUrlElicitation[]): OpenQuestions;
  /** The journal of the run so far, where there is one. */
  record?(): JournalRecord;
}

/** A question as the client receives it. */
export interface InputRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** The questions that a run left open, with the journal for the next run. */
export interface OpenQuestions {
  readonly inputRequests: { readonly [key: string]: InputRequest };
  readonly record: JournalRecord;
}
