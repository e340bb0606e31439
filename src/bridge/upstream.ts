import type { Client } from "../client/client.ts";
import type { ConnectOptions } from "../client/options.ts";
import { invalidRequest } from "../protocol/wire-error.ts";
import type { AskCapabilities } from "./answered-questions.ts";

/** Connects to the server behind a bridge with these options. */
export type ConnectUpstream = (options: ConnectOptions) => Promise<Client>;

/** Connects with the capabilities of the callers, so that the server asks only what they can answer. */
export function openUpstream(
  connectWith: ConnectUpstream,
  { elicitation, sampling, roots }: AskCapabilities = {},
): Promise<Client> {
  return connectWith({
    ...(elicitation && { elicit: refuse }),
    ...(sampling && { sample: refuse }),
    ...(roots && { roots: refuse }),
    capabilities: {
      ...(elicitation && { elicitation }),
      ...(sampling && { sampling }),
      ...(roots && { roots }),
    },
  });
}

/** Refuses a question that belongs to no call: the bridge knows only callers. */
function refuse(): never {
  throw invalidRequest("Nobody can answer this question: it belongs to no call.");
}
