import type { ConfigInput } from "./host-config.ts";
import type { VariableOptions } from "./resolve-server.ts";

/** Asks the user for an input of a file. */
export type AskInput = (input: ConfigInput, file: string | undefined) => Promise<string | undefined>;

/** Asks the user once for each input of a file, and again if there was no answer. */
export function rememberInputs(input: NonNullable<VariableOptions["input"]>): AskInput {
  const answers = new Map<string, Promise<string | undefined>>();
  return async (asked, file) => {
    const key = JSON.stringify([file, asked.id]);
    const answering = answers.get(key) ?? Promise.resolve(input(asked));
    answers.set(key, answering);
    const answer = await answering.catch((error: unknown) => {
      answers.delete(key);
      throw error;
    });
    if (answer === undefined) answers.delete(key);
    return answer;
  };
}
