import type { ElicitRequest, ElicitResult } from "allspeak";
import { isObject } from "../../lib/json.ts";
import { noModel } from "../arguments/model-answers.ts";
import { describeType, propertiesOf, requiredOf, resolveReference } from "../arguments/schema-view.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";

/** Takes the questions of a server where nobody can be asked, and keeps the first for the user. */
export class UnansweredQuestions {
  readonly unused: readonly string[] = [];
  /** The first question, as the error that ends the command. */
  problem: CommandError | undefined;

  async answer(ask: ElicitRequest): Promise<ElicitResult> {
    this.problem ??= toError(ask);
    throw this.problem;
  }
}

function toError(ask: ElicitRequest): CommandError {
  const message = `The tool asks ${JSON.stringify(ask.message)}, and there is no terminal to answer it at.`;
  const hint =
    ask.mode === "url"
      ? `It is about this page: ${ask.url}\nRun the command at a terminal.`
      : `Answer it with: ${toAnswers(ask.requestedSchema)}`;
  return new CommandError(message, ExitCode.declined, { hint });
}

/** The options that answer a form: `--answer name=<string>`. */
function toAnswers(schema: Extract<ElicitRequest, { requestedSchema: unknown }>["requestedSchema"]): string {
  const required = requiredOf(schema);
  const words = Object.entries(propertiesOf(schema)).map(([name, property]) => {
    const word = `--answer ${name}=<${describeType(resolveReference(property, schema), schema)}>`;
    return required.has(name) ? word : `[${word}]`;
  });
  return words.join(" ");
}

/** The error of a call, in words for the user if the server wanted something of a client that can't ask. */
export function explainUnanswered(error: unknown): unknown {
  const data = error instanceof Error && "data" in error ? error.data : undefined;
  const required = isObject(data) && isObject(data.requiredCapabilities) ? data.requiredCapabilities : {};
  if (Object.hasOwn(required, "elicitation"))
    return new CommandError("The tool asks a question, and --no-input forbids it.", ExitCode.declined, {
      cause: error,
      hint: "Run the command without --no-input to see the question, or answer with: call … --answer key=value",
    });
  if (Object.hasOwn(required, "sampling")) return noModel(error);
  return error;
}
