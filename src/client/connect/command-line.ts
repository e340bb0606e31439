import { platform } from "#platform";
import type { Transport } from "../../contract/transport.ts";
import { ProcessError } from "../../errors.ts";
import { splitCommand } from "./split-command.ts";

// A host with a port, a host with a path (it has a dot or is this machine), or some other scheme.
const address =
  /^(?:(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\]):\d+(?:\/\S*)?|(?:localhost|[\w-]+(?:\.[\w-]+)+)\/\S*|[a-z][a-z\d+.-]*:\/\/\S*)$/i;

/** A transport to the program that a command line starts. */
export async function openCommandLine(text: string): Promise<Transport> {
  const transport = await platform.openCommand(splitCommand(text));
  return looksLikeAddress(text) ? withUrlHint(transport) : transport;
}

/** The key under which the server of a command line is remembered. */
export function toCommandLineId(text: string): string {
  return toCommandId(splitCommand(text));
}

/** Another program, or the same with other arguments, is another server. */
export function toCommandId({
  command,
  args = [],
}: {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
}): string {
  return `command:${JSON.stringify([command, ...args])}`;
}

/** True for a command that looks like a URL without its scheme. */
function looksLikeAddress(text: string): boolean {
  return address.test(text.trim());
}

/** Adds to the error of a missing program how a URL is written. */
function withUrlHint(transport: Transport): Transport {
  return {
    ...transport,
    open: (options) =>
      transport.open(options).catch((error: unknown) => {
        if (!(error instanceof ProcessError)) throw error;
        const hint = "If a URL is meant, begin it with http:// or https://.";
        throw new ProcessError(`${error.message} ${hint}`, error, { cause: error });
      }),
  };
}
