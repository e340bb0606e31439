import type { ElicitRequest, ElicitResult } from "allspeak";
import { describeIssues } from "../../lib/text/issue.ts";
import { compilePeerValidator } from "../../schema/validator/peer-validator.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import { readArguments } from "./read-arguments.ts";
import { propertiesOf } from "./schema-view.ts";

/** The answers of the command line. Each question of the server takes those whose keys its form has. */
export class GivenAnswers {
  readonly #words: readonly string[];
  readonly #unused: Set<string>;
  /** The reason why a question could not be answered: a server reports it in words of its own, or not at all. */
  problem: CommandError | undefined;

  constructor(words: readonly string[]) {
    this.#words = words;
    this.#unused = new Set(words);
  }

  /** Answers that no question took. */
  get unused(): readonly string[] {
    return [...this.#unused];
  }

  async answer(ask: ElicitRequest): Promise<ElicitResult> {
    try {
      return { action: "accept", content: await this.#fill(ask) };
    } catch (error) {
      if (error instanceof CommandError) this.problem = error;
      throw error;
    }
  }

  async #fill(ask: ElicitRequest): Promise<NonNullable<ElicitResult["content"]>> {
    if (ask.mode === "url")
      throw new CommandError(`The tool asks you to visit ${ask.url}.`, ExitCode.declined, {
        hint: "--answer is for forms: run the command at a terminal.",
      });
    const schema = ask.requestedSchema;
    const properties = propertiesOf(schema);
    const words = this.#words.filter((word) => Object.hasOwn(properties, keyOf(word)));
    for (const word of words) this.#unused.delete(word);
    const content = readArguments(words, schema);
    const checked = (await compilePeerValidator(schema)).validate(content);
    if (checked.ok) return content as NonNullable<ElicitResult["content"]>;
    throw new CommandError(
      `The answers do not fit the question ${JSON.stringify(ask.message)}:\n${describeIssues(checked.issues)}`,
      ExitCode.usage,
      { hint: `Its keys: ${Object.keys(properties).join(", ")}` },
    );
  }
}

function keyOf(word: string): string {
  return /^(.+?):?=/.exec(word)?.[1] ?? word;
}
