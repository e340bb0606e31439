import { UsageError } from "../protocol/errors.ts";
import type { ClientCapabilities } from "../protocol/model/identity.ts";
import type { Revision } from "../protocol/revision.ts";
import type { ConnectOptions } from "./options.ts";
import { toRoots } from "./roots.ts";

/** What a client can do: what its handlers are for, and what the host adds. */
export function declareCapabilities(options: ConnectOptions): ClientCapabilities {
  const { capabilities: given = {}, elicit, sample, roots } = options;
  assertHandled(given.elicitation, elicit, "elicit");
  assertHandled(given.sampling, sample, "sample");
  assertHandled(given.roots, roots, "roots");
  if (roots !== undefined && typeof roots !== "function") toRoots(roots);
  return {
    ...given,
    ...(elicit && { elicitation: given.elicitation ?? { form: {}, url: {} } }),
    ...(sample && { sampling: given.sampling ?? {} }),
    ...(roots && { roots: given.roots ?? { listChanged: true } }),
  };
}

function assertHandled(capability: object | undefined, handler: unknown, option: string): void {
  if (capability !== undefined && handler === undefined)
    throw new UsageError(`capabilities declares what only the option "${option}" can answer; give both.`);
}

/** The same, as a revision spells it. */
export function encodeCapabilities(revision: Revision, capabilities: ClientCapabilities): ClientCapabilities {
  const { elicitation, roots, ...others } = capabilities;
  const modes = elicitationModes(revision, capabilities);
  return {
    ...others,
    ...(roots && { roots: revision.methods.has("notifications/roots/list_changed") ? roots : {} }),
    ...(modes.size > 0 && { elicitation: spellModes(revision, modes) }),
  };
}

export type ElicitationMode = "form" | "url";

/** The ways in which the user may be asked: those that both the host and the revision have. */
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

/** Where there is one mode only, it has no name. */
function spellModes(revision: Revision, modes: ReadonlySet<ElicitationMode>): object {
  if (revision.elicitationModes.size === 1) return {};
  return Object.fromEntries([...modes].map((mode) => [mode, {}]));
}
