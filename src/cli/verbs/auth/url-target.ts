import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { targetArgument } from "../../target/target-options.ts";

/** The target of a verb that takes a URL only. */
export const urlArgument = { ...targetArgument, description: "the URL of a server" } as const;

/** The URL of a target that must be one: credentials are for servers that are reached by a URL. */
export function assertUrlTarget(target: string, verb: string): URL {
  if (/^https?:\/\//i.test(target) && URL.canParse(target)) return new URL(target);
  throw new CommandError(`${verb} takes the URL of a server, not ${JSON.stringify(target)}.`, ExitCode.usage);
}
