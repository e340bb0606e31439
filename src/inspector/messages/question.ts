import type { JsonObject } from "../../lib/json.ts";
import type { ElicitForm, ElicitResult, ElicitUrl } from "../../protocol/model/elicitation.ts";
import type { Root } from "../../protocol/model/root.ts";
import type { SamplingRequest, SamplingResult } from "../../protocol/model/sampling.ts";
import type { Nothing } from "./reply.ts";

export interface QuestionRequests {
  /** Answers a question, once; a later answer fails with `not-found`. */
  answer: {
    readonly params: { readonly question: string; readonly answer: Answer };
    readonly result: Nothing;
  };
  /** The answer that the scripted model would give to a `sampling` question: to be shown, changed and sent. */
  "suggest-sample": {
    readonly params: { readonly question: string };
    readonly result: { readonly result: SamplingResult; readonly rule?: number };
  };
  /** Replaces the script of the model, for sampling and for the host view. */
  "set-model": { readonly params: { readonly model: ScriptedModel }; readonly result: Nothing };
}

export interface QuestionEvents {
  question: { readonly question: Question };
  /** A question that needs no answer any more: answered here or in another tab, cancelled, or out of time. */
  "question-closed": { readonly question: string; readonly reason: "answered" | "cancelled" | "expired" };
}

/** Something that only the person can decide. */
export type Question = {
  readonly id: string;
  /** The connection that it belongs to. */
  readonly connection: string;
  /** The request of the wire that asked it, where there is one. */
  readonly seq?: number;
  readonly askedAt: number;
} & QuestionBody;

export type QuestionBody =
  /** A form of the server. Answered with `form`. */
  | { readonly kind: "form"; readonly ask: ElicitForm }
  /** A URL that the server wants visited. Show it whole; a person opens it, never the page by itself. Answered with `form`. */
  | { readonly kind: "url"; readonly ask: ElicitUrl }
  /** A model is wanted. Answered with `sample`. */
  | { readonly kind: "sampling"; readonly ask: SamplingRequest }
  /** The folders are wanted, if `options.roots` were not given. Answered with `roots`. */
  | { readonly kind: "roots" }
  /** A program or module that would run on this machine, or a URL of a file that would be reached. Answered with `decide`. */
  | { readonly kind: "run"; readonly run: RunView }
  /** A login of OAuth. Show the URL whole; it is never opened by itself. Closes by itself when the login is done; `decide` false gives it up. */
  | { readonly kind: "login"; readonly url: string; readonly origin: string }
  /** A value that a configuration file leaves to the person (`${input:id}`). Answered with `input`. */
  | {
      readonly kind: "input";
      readonly input: {
        readonly id: string;
        readonly description?: string;
        readonly isSecret: boolean;
        readonly default?: string;
        readonly options?: readonly string[];
      };
    };

export type RunView =
  | {
      readonly kind: "command";
      readonly command: string;
      readonly args: readonly string[];
      /** The variables that are added to the environment; values of secrets too, since the program gets them. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
      /** The configuration file that it comes from. */
      readonly file?: string;
    }
  | { readonly kind: "module"; readonly path: string }
  /** A server of a configuration file, before its variables are filled in and sent there. */
  | {
      readonly kind: "url";
      /** The whole URL, as it is written. */
      readonly url: string;
      /** All that goes with it, such as its headers; values that are often secret are masked. */
      readonly lines: readonly string[];
      /** The hash of the entry with its secrets: another one is another server. */
      readonly sha256: string;
      readonly file: string;
    };

export type Answer =
  | { readonly kind: "form"; readonly result: ElicitResult }
  | { readonly kind: "sample"; readonly result: SamplingResult }
  | { readonly kind: "roots"; readonly roots: readonly Root[] }
  | { readonly kind: "decide"; readonly isAllowed: boolean }
  | { readonly kind: "input"; readonly value: string }
  /** Refuses: the server gets an error that says so. For every kind. */
  | { readonly kind: "refuse"; readonly reason?: string };

/** A model that follows rules: the first rule that matches the last message of the conversation replies. */
export interface ScriptedModel {
  readonly name: string;
  /** `automatic` answers sampling by itself; `ask` leaves it to the person, with the suggestion at hand. */
  readonly sampling: "ask" | "automatic";
  readonly rules: readonly ScriptedRule[];
  /** The reply if no rule matches. `{last}` stands for the last text. */
  readonly otherwise: string;
}

export interface ScriptedRule {
  /** Words that the last message must contain, in any case. Empty: always. */
  readonly when: string;
  /** A text; `{last}` stands for the text of the last message. */
  readonly reply?: string;
  /** A tool to call, by the name that the model sees; strings in the arguments may have `{last}`. */
  readonly call?: { readonly tool: string; readonly arguments: JsonObject };
}
