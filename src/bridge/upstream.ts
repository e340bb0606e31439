import type { Client } from "../client/client.ts";
import type { AskHandlers } from "../client/incoming/ask.ts";
import type { ConnectOptions } from "../client/options.ts";
import { invalidRequest } from "../protocol/wire-error.ts";
import type { AskCapabilities } from "./answered-questions.ts";

/** Connects to the server behind a bridge with these options. */
export type ConnectUpstream = (options: ConnectOptions) => Promise<Client>;

/** Connects with the capabilities of the callers, so that the server asks only what they can answer. */
export function openUpstream(
  connectWith: ConnectUpstream,
  { elicitation, sampling, roots }: AskCapabilities = {},
  { elicit, sample, roots: listRoots }: AskHandlers = nobody,
): Promise<Client> {
  return connectWith({
    ...(elicitation && { elicit }),
    ...(sampling && { sample }),
    ...(roots && { roots: listRoots }),
    capabilities: {
      ...(elicitation && { elicitation }),
      ...(sampling && { sampling }),
      ...(roots && { roots }),
    },
  });
}

/** The handlers of a connection that has no callers. */
const nobody: AskHandlers = { elicit: refuse, sample: refuse, roots: refuse };

function refuse(): never {
  throw invalidRequest("Nobody can answer this question: it belongs to no call.");
}
