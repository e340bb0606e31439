import { ProcessError, type StdioCommand } from "allspeak/client";
import { toChildEnvironment } from "../../transports/stdio/child-environment.ts";
import { CommandError } from "../command-error.ts";
import { toCommandWords } from "../command-words.ts";
import { toExitCode } from "../error-exit-code.ts";
import { ExitCode } from "../exit-code.ts";
import type { Streams } from "../terminal/terminal.ts";
import type { ResolvedTarget } from "./resolved-target.ts";

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

/** The error of a program that names variables which are set here, and which it was not given, with the options that give them. */
export function withMissingVariables(
  error: unknown,
  { target }: ResolvedTarget,
  env: Streams["env"],
): unknown {
  if (!(error instanceof ProcessError) || typeof target !== "object" || !("command" in target)) return error;
  const given = toChildEnvironment(target, env);
  const named = new Set(error.stderr.join(" ").match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g));
  const missing = [...named].filter((name) => env[name] !== undefined && given[name] === undefined);
  if (missing.length === 0) return error;
  const options = missing.map((name) => `--env ${name}="$${name}"`).join(" ");
  const hint = `Of your variables it gets only those that programs need; give it the others: ${options}`;
  return new CommandError(toCommandWords(error), toExitCode(error), { cause: error, hint });
}
