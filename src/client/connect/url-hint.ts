import type { Transport } from "../../contract/transport.ts";
import { ProcessError } from "../../errors.ts";

// A host with a port, a host with a path (it has a dot or is this machine), or some other scheme.
const address =
  /^(?:(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\]):\d+(?:\/\S*)?|(?:localhost|[\w-]+(?:\.[\w-]+)+)\/\S*|[a-z][a-z\d+.-]*:\/\/\S*)$/i;

/** Whether a command looks as if a URL was meant. */
export function looksLikeAddress(text: string): boolean {
  return address.test(text.trim());
}

/** The same transport; if there is no such program, its error says how a URL is written. */
export function withUrlHint(transport: Transport): Transport {
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
