import { RpcError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import { hasCapability } from "../protocol/model/identity.ts";
import { tasksCapability } from "../protocol/model/task.ts";
import { toUndeclared } from "./tasks/declared-tasks.ts";

/** The options of `connect` that declare capabilities. */
const options: ReadonlyMap<string, string> = new Map([
  ["elicitation", "elicit"],
  ["sampling", "sample"],
  ["roots", "roots"],
]);

/** The refusal of a server that wants a capability of this client, with the option that declares it. */
export function explainRefusal(error: RpcError, method: string): Error {
  const required = isObject(error.data) ? error.data.requiredCapabilities : undefined;
  if (!isObject(required)) return error;
  if (hasCapability(required, tasksCapability)) return toUndeclared(method, error);
  const helpful = Object.keys(required).flatMap((name) => options.get(name) ?? []);
  if (helpful.length === 0) return error;
  const { wireCode, message, data, isReceived } = error;
  const advice = `Connect with the option ${helpful.join(" and ")} to declare it.`;
  return new RpcError(wireCode, `${message} ${advice}`, data, { cause: error, isReceived });
}
