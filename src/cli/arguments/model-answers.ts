import type { SamplingResult } from "allspeak";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";

export const modelAnswerOption = {
  type: "string",
  value: "TEXT",
  multiple: true,
  description: "Answer in place of a model; give it again for each further time that the tool asks one",
} as const;

/** The texts of the command line in place of those of a model. Each request takes the next one. */
export class ModelAnswers {
  readonly #left: string[];
  readonly #hasAny: boolean;
  /** The reason why a request could not be answered: a server reports it in words of its own, or not at all. */
  problem: CommandError | undefined;

  constructor(texts: readonly string[]) {
    this.#left = [...texts];
    this.#hasAny = texts.length > 0;
  }

  /** Answers that no request took. */
  get unused(): readonly string[] {
    return this.#left;
  }

  async answer(): Promise<SamplingResult> {
    const text = this.#left.shift();
    if (text !== undefined)
      return { role: "assistant", model: "a script", content: { type: "text", text }, stopReason: "endTurn" };
    this.problem ??= this.#hasAny
      ? new CommandError(
          "The tool asks a model again, and there is no further --model-answer.",
          ExitCode.declined,
        )
      : noModel();
    throw this.problem;
  }
}

/** The error of a tool that wants a model where nobody can write its answer. */
export function noModel(cause?: unknown): CommandError {
  return new CommandError(
    "The tool wants an answer from a model, and there is no terminal to write one at.",
    ExitCode.declined,
    { cause, hint: "Run the command at a terminal, or answer with: call … --model-answer TEXT" },
  );
}
