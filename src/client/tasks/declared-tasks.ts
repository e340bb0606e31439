import { CapabilityError } from "../../errors.ts";
import { type ClientCapabilities, hasCapability } from "../../protocol/model/identity.ts";
import { tasksCapability } from "../../protocol/model/task.ts";
import type { Revision } from "../../protocol/revision.ts";

/** The advice to a host whose server wants to answer with a task. */
export const tasksAdvice = "connect with the option tasks: true";

/** Throws when tasks are an extension in the agreed revision, and this client does not declare it. */
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
