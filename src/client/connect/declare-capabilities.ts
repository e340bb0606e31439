import { UsageError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ClientCapabilities } from "../../protocol/model/identity.ts";
import { tasksExtension } from "../../protocol/model/task.ts";
import { toRoots } from "../incoming/roots.ts";
import type { ClientTaskOptions, ConnectOptions } from "../options.ts";

/** The capabilities that follow from the handlers of the host, and those that it adds. */
export function declareCapabilities(options: ConnectOptions): ClientCapabilities {
  const { capabilities: given = {}, elicit, sample, roots, onRequest = {} } = options;
  const tasks = toTaskOptions(options.tasks);
  assertHandled(given.elicitation, elicit, "elicit");
  assertHandled(given.sampling, sample, "sample");
  assertHandled(given.roots, roots, "roots");
  assertHandled(given.tasks, tasks.asks || undefined, "tasks.asks");
  if (roots !== undefined && typeof roots !== "function") toRoots(roots);
  const extensions = Object.values(onRequest).flatMap(({ options: { extension } }) => extension ?? []);
  // Extensions are off unless the host asks for them (SEP-2133).
  if (tasks.calls) extensions.push(tasksExtension);
  const declared = Object.fromEntries(extensions.map((name) => [name, {}]));
  return {
    ...given,
    ...(elicit && { elicitation: given.elicitation ?? { form: {}, url: {} } }),
    ...(sample && { sampling: given.sampling ?? {} }),
    ...(roots && { roots: given.roots ?? { listChanged: true } }),
    ...(extensions.length > 0 && { extensions: { ...declared, ...given.extensions } }),
    ...(tasks.asks && { tasks: given.tasks ?? toReceived(options) }),
  };
}

function toTaskOptions(given: ConnectOptions["tasks"] = {}): ClientTaskOptions {
  return typeof given === "boolean" ? { calls: given } : given;
}

/** The questions of the server that may become tasks here. */
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
