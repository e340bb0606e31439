import type { ToolResult } from "allspeak/client";
import type { GivenAnswers } from "../../arguments/given-answers.ts";
import { ExitCode } from "../../exit-code.ts";
import { escapeLine } from "../../show/escape.ts";
import { showToolResult } from "../../show/tool-result.ts";
import type { Terminal } from "../../terminal/terminal.ts";

interface FinishOptions {
  /** The answers that its questions took. A problem of theirs explains more than the error of the server. */
  readonly answers: readonly (Pick<GivenAnswers, "problem" | "unused"> | undefined)[];
  readonly terminal: Terminal;
  readonly options: { readonly json?: boolean; readonly out?: string };
}

/** Waits for the result of a tool and shows it. */
export async function finishCall(
  called: Promise<ToolResult<unknown>>,
  { answers, terminal, options }: FinishOptions,
): Promise<ExitCode> {
  const findProblem = () => answers.find((given) => given?.problem)?.problem;
  const result = await called.catch((error) => {
    throw findProblem() ?? error;
  });
  for (const word of answers.flatMap((given) => given?.unused ?? []))
    terminal.note(`No question took the answer ${escapeLine(word)}.`);
  const problem = findProblem();
  if (result.isError && problem) throw problem;
  if (options.json) terminal.printJson(result);
  else await showToolResult(result, { terminal, out: options.out });
  return result.isError ? ExitCode.failed : ExitCode.ok;
}
