import { CapabilityError } from "../../errors.ts";
import { type ClientCapabilities, hasCapability } from "../../protocol/model/identity.ts";
import { tasksCapability } from "../../protocol/model/task.ts";
import type { Revision } from "../../protocol/revision.ts";
import type { ServerDescription } from "../agreement.ts";

/** The advice to a host whose server wants to answer with a task. */
export const tasksAdvice = "connect with the option tasks: true";

/**
 * True if the server runs calls as tasks, as its revision declares that.
 *
 * basic/utilities/tasks#tool-level-negotiation (2025-11-25)
 */
export function hasServerTasks({
  revision,
  server,
}: {
  readonly revision: Revision;
  readonly server: Pick<ServerDescription, "capabilities">;
}): boolean {
  switch (revision.tasks) {
    case "by-receiver":
      return hasCapability(server.capabilities, tasksCapability);
    case "by-sender":
      return hasCapability(server.capabilities, "tasks.requests.tools.call");
    case "none":
      return false;
  }
}

/**
 * Throws when tasks are an extension in the agreed revision, and this client does not declare it.
 *
 * ext-tasks/tasks#capability-negotiation (draft)
 */
export function assertTasksDeclared(
  { revision, capabilities }: { readonly revision: Revision; readonly capabilities: ClientCapabilities },
  what: string,
): void {
  if (revision.tasks === "by-receiver" && !hasCapability(capabilities, tasksCapability))
    throw toUndeclared(what);
}

/** The error of a client that lacks the option for tasks. */
export function toUndeclared(what: string, cause?: Error): CapabilityError {
  return new CapabilityError(tasksCapability, "client", what, {
    advice: tasksAdvice,
    ...(cause && { cause }),
  });
}
