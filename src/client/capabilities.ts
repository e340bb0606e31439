import { without } from "../protocol/encode/wire-rules.ts";
import type { ClientCapabilities } from "../protocol/model/identity.ts";
import { tasksExtension } from "../protocol/model/task.ts";
import type { Revision } from "../protocol/revision.ts";

/** The capabilities of a client, in the words of a revision. */
export function encodeCapabilities(revision: Revision, capabilities: ClientCapabilities): ClientCapabilities {
  const { elicitation, roots, tasks, extensions, ...others } = capabilities;
  const known =
    revision.tasks === "by-receiver" || extensions === undefined
      ? extensions
      : without(extensions, [tasksExtension]);
  const modes = elicitationModes(revision, capabilities);
  return {
    ...others,
    ...(known && Object.keys(known).length > 0 && { extensions: known }),
    ...(tasks && revision.tasks === "by-sender" && { tasks }),
    ...(roots && { roots: revision.methods.has("notifications/roots/list_changed") ? roots : {} }),
    ...(modes.size > 0 && { elicitation: spellModes(revision, modes) }),
  };
}

export type ElicitationMode = "form" | "url";

/** The elicitation modes that both the host and the revision have. client/elicitation#capabilities (2025-11-25) */
export function elicitationModes(
  revision: Revision,
  { elicitation }: ClientCapabilities,
): ReadonlySet<ElicitationMode> {
  if (elicitation === undefined) return new Set();
  // An empty object declares forms only.
  const declared: ElicitationMode[] = elicitation.url
    ? elicitation.form
      ? ["form", "url"]
      : ["url"]
    : ["form"];
  return new Set(declared.filter((mode) => revision.elicitationModes.has(mode)));
}

/** The capability in a revision with one mode only has no members. */
function spellModes(revision: Revision, modes: ReadonlySet<ElicitationMode>): object {
  if (revision.elicitationModes.size === 1) return {};
  return Object.fromEntries([...modes].map((mode) => [mode, {}]));
}
