import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";

/** The headers of `--header 'NAME: VALUE'`. */
export function readHeaders(given: readonly string[]): Record<string, string> {
  const pairs = given.map((text) => {
    const found = /^([^:\s]+):\s*(.*)$/.exec(text);
    if (!found) {
      throw new CommandError(`--header takes 'NAME: VALUE', not ${JSON.stringify(text)}.`, ExitCode.usage);
    }
    return [found[1] ?? "", found[2] ?? ""] as const;
  });
  return Object.fromEntries(pairs);
}
