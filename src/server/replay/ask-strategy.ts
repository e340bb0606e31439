import type { Timeout } from "../../contract/deadline.ts";
import type { RequiredUrlElicitation } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { AskMethod } from "../../protocol/model/ask.ts";
import type { JournalRecord } from "./journal.ts";

/** A question to the client, in the words of its revision. */
export interface Question<T> {
  /** Its name within the call. */
  readonly key: string;
  readonly method: AskMethod;
  readonly params: JsonObject;
  readonly timeout: Timeout | undefined;
  /** Whether the client is to answer it as a task, where it is asked by a request. */
  readonly isTask: boolean;
  /** What the handler gets of an answer; throws InvalidAnswerError when it does not fit. */
  read(answer: JsonObject): Promise<T>;
}

/** How the questions of one run of a handler reach its client, and what the run does only once. */
export interface AskStrategy {
  /** A name for the next question: the one given, or one by the order of asking; never one that was used before. */
  name(key: string | undefined): string;
  ask<T>(question: Question<T>): Promise<T>;
  once<T>(key: string, run: () => T | Promise<T>): Promise<T>;
  /** Told that the run has come to its end; what it left open, where a run may leave something open. */
  conclude?(outcome: { readonly error?: unknown }): OpenQuestions | undefined;
  /** Leaves pages to visit open, for a run that can't go on before. */
  requireUrlElicitations?(elicitations: readonly RequiredUrlElicitation[]): OpenQuestions;
  /** All that was asked and done so far, where it can be kept. */
  record?(): JournalRecord;
}

/** A question on its way to the client. */
export interface InputRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** Questions that a run left open, and what to keep until it can go on. */
export interface OpenQuestions {
  readonly inputRequests: { readonly [key: string]: InputRequest };
  readonly record: JournalRecord;
}
