import { CapabilityError, RpcError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { type ClientCapabilities, hasCapability } from "../../protocol/model/identity.ts";
import { tasksCapability } from "../../protocol/model/task.ts";
import type { Revision } from "../../protocol/revision.ts";
import { WireCode } from "../../protocol/wire-error.ts";

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

/** The error of a request, in words about the option if the server refused it because this client declares no tasks. */
export function explainRefusal(error: unknown, method: string): unknown {
  if (!(error instanceof RpcError) || error.wireCode !== WireCode.missingClientCapability) return error;
  const required = isObject(error.data) ? error.data.requiredCapabilities : undefined;
  return isObject(required) && hasCapability(required, tasksCapability) ? toUndeclared(method, error) : error;
}

function toUndeclared(what: string, cause?: Error): CapabilityError {
  return new CapabilityError(tasksCapability, "client", what, {
    advice: tasksAdvice,
    ...(cause && { cause }),
  });
}
