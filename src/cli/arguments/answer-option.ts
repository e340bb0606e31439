import type { GivenAnswers } from "./given-answers.ts";

export const answerOption = {
  type: "string",
  value: "KEY=VALUE",
  multiple: true,
  description: "Answer questions of the tool, instead of a person",
} as const;

/** Loaded where they are given: most calls ask nothing. */
export async function readAnswers(words: readonly string[] | undefined): Promise<GivenAnswers | undefined> {
  if (words === undefined) return undefined;
  const { GivenAnswers } = await import("./given-answers.ts");
  return new GivenAnswers(words);
}
