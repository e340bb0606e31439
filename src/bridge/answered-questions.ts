import { isObject } from "../lib/json.ts";
import type { ClientCapabilities } from "../protocol/model/identity.ts";

/** The capabilities of a client that let a server ask it something. */
export type AskCapabilities = Pick<ClientCapabilities, "elicitation" | "sampling" | "roots">;

/**
 * The kinds of questions that a client answers, in one of few forms: a client may declare anything beside them, and
 * connections are kept apart by this.
 */
export function toAskCapabilities({ elicitation, sampling, roots }: ClientCapabilities): AskCapabilities {
  const answersUrls = isObject(elicitation?.url);
  return {
    ...(elicitation && {
      elicitation: {
        // In the revisions before URLs, a client declares no modes and takes forms.
        ...((isObject(elicitation.form) || !answersUrls) && { form: {} }),
        ...(answersUrls && { url: {} }),
      },
    }),
    ...(sampling && {
      sampling: {
        ...(isObject(sampling.context) && { context: {} }),
        ...(isObject(sampling.tools) && { tools: {} }),
      },
    }),
    ...(roots && { roots: roots.listChanged === true ? { listChanged: true } : {} }),
  };
}
