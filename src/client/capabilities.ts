import { UsageError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { without } from "../protocol/encode/wire-rules.ts";
import type { ClientCapabilities } from "../protocol/model/identity.ts";
import { tasksExtension } from "../protocol/model/task.ts";
import type { Revision } from "../protocol/revision.ts";
import { toRoots } from "./incoming/roots.ts";
import type { ConnectOptions } from "./options.ts";

/** What a client can do: what its handlers are for, and what the host adds. */
export function declareCapabilities(options: ConnectOptions): ClientCapabilities {
  const { capabilities: given = {}, elicit, sample, roots, tasks } = options;
  assertHandled(given.elicitation, elicit, "elicit");
  assertHandled(given.sampling, sample, "sample");
  assertHandled(given.roots, roots, "roots");
  assertHandled(given.tasks, tasks?.asks || undefined, "tasks.asks");
  if (roots !== undefined && typeof roots !== "function") toRoots(roots);
  return {
    ...given,
    ...(elicit && { elicitation: given.elicitation ?? { form: {}, url: {} } }),
    ...(sample && { sampling: given.sampling ?? {} }),
    ...(roots && { roots: given.roots ?? { listChanged: true } }),
    ...(tasks?.calls !== false && { extensions: { [tasksExtension]: {}, ...given.extensions } }),
    ...(tasks?.asks && { tasks: given.tasks ?? toReceived(options) }),
  };
}

/** Which questions of the server may become tasks here. */
function toReceived({ elicit, sample }: ConnectOptions): JsonObject {
  const requests = {
    ...(sample && { sampling: { createMessage: {} } }),
    ...(elicit && { elicitation: { create: {} } }),
  };
  return { list: {}, cancel: {}, requests };
}

function assertHandled(capability: object | undefined, handler: unknown, option: string): void {
  if (capability !== undefined && handler === undefined)
    throw new UsageError(`capabilities declares what only the option "${option}" can answer; give both.`);
}

/** The same, as a revision spells it. */
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
