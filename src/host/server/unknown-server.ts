import { UsageError } from "../../errors.ts";
import { didYouMean } from "../../lib/text/did-you-mean.ts";

/** The error for a server that the host does not have, with the one that may have been meant. */
export function unknownServer(name: string, known: Iterable<string>): UsageError {
  return new UsageError(
    `The host has no server ${JSON.stringify(name)}${didYouMean(name, [...known]) || "."}`,
  );
}
