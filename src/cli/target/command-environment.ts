import type { StdioCommand } from "allspeak/client";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";

/** A command with the variables of `--env`, which win over its own. */
export function withEnvironment(command: StdioCommand, given: readonly string[]): StdioCommand {
  const pairs = given.map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1)
      throw new CommandError(`--env takes NAME=VALUE, not ${JSON.stringify(pair)}.`, ExitCode.usage);
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return { ...command, env: { ...command.env, ...Object.fromEntries(pairs) } };
}

/** Refuses `--env` where it would have no effect. */
export function assertNoEnvironment(target: string, given: readonly string[] | undefined): void {
  if (given === undefined) return;
  throw new CommandError(`--env is for programs, and the target is ${target}.`, ExitCode.usage);
}
