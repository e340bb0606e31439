import { isObject } from "../../lib/json.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";

/** The error of a call, in words for the user if the server had a question and nobody could be asked. */
export function explainUnanswered(error: unknown): unknown {
  const data = error instanceof Error && "data" in error ? error.data : undefined;
  const required = isObject(data) && isObject(data.requiredCapabilities) ? data.requiredCapabilities : {};
  if (Object.hasOwn(required, "elicitation"))
    return new CommandError(
      "The tool asks a question, and there is no terminal to answer it at.",
      ExitCode.declined,
      { cause: error, hint: "Run the command at a terminal, or answer with: call … --answer key=value" },
    );
  if (Object.hasOwn(required, "sampling"))
    return new CommandError(
      "The tool wants an answer of a model, and there is no terminal to write one at.",
      ExitCode.declined,
      { cause: error, hint: "Run the command at a terminal." },
    );
  return error;
}
