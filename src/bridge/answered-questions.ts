import { isObject } from "../lib/json.ts";
import type { ClientCapabilities } from "../protocol/model/identity.ts";
import type { Revision } from "../protocol/revision.ts";

/** The capabilities of a client that let a server ask it something. */
export type AskCapabilities = Pick<ClientCapabilities, "elicitation" | "sampling" | "roots">;

/**
 * The kinds of questions that a client answers in its revision, in one of few forms: a client may declare anything
 * beside them, and connections are kept apart by this.
 */
export function toAskCapabilities(
  { elicitation, sampling, roots }: ClientCapabilities,
  revision: Pick<Revision, "elicitationModes" | "sampling">,
): AskCapabilities {
  const answersUrls = isObject(elicitation?.url) && revision.elicitationModes.has("url");
  const lendsTools = isObject(sampling?.tools) && revision.sampling.kinds.has("tool_use");
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
        ...(lendsTools && { tools: {} }),
      },
    }),
    ...(roots && { roots: roots.listChanged === true ? { listChanged: true } : {} }),
  };
}
