import { RpcError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import { hasCapability } from "../protocol/model/identity.ts";
import { tasksCapability } from "../protocol/model/task.ts";
import { WireCode } from "../protocol/wire-error.ts";
import { toUndeclared } from "./tasks/declared-tasks.ts";

/** The options of `connect` that declare capabilities. */
const options: ReadonlyMap<string, string> = new Map([
  ["elicitation", "elicit"],
  ["sampling", "sample"],
  ["roots", "roots"],
]);

/** The error of a request, with the option that helps if the server refused it because this client lacks a capability. */
export function explainRefusal(error: unknown, method: string): unknown {
  if (!(error instanceof RpcError) || error.wireCode !== WireCode.missingClientCapability) return error;
  const required = isObject(error.data) ? error.data.requiredCapabilities : undefined;
  if (!isObject(required)) return error;
  if (hasCapability(required, tasksCapability)) return toUndeclared(method, error);
  const helpful = Object.keys(required).flatMap((name) => options.get(name) ?? []);
  if (helpful.length === 0) return error;
  const { wireCode, message, data, isReceived } = error;
  const advice = `Connect with the option ${helpful.join(" and ")} to declare it.`;
  return new RpcError(wireCode, `${message} ${advice}`, data, { cause: error, isReceived });
}
