import { UsageError } from "../errors.ts";
import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import type { JsonObject } from "../lib/json.ts";
import { describeIssues, type ValidationResult } from "../lib/text/issue.ts";
import { checkObject } from "./check/check.ts";
import type { Method } from "./method.ts";
import { methods } from "./method-table.ts";
import { invalidParams } from "./wire-error.ts";

/** The part of a custom method that its row is made of. */
export interface CustomMethodOptions extends Pick<Method, "kind" | "from"> {
  /** The extension that the method belongs to, such as `com.example/reports`. */
  readonly extension?: string | undefined;
  /** A capability of the client without which the method may not be used. */
  readonly requires?: string | undefined;
}

/** The row of a custom method: one that the specification does not have. Throws UsageError for a name that is taken. */
export function createCustomMethod(
  name: string,
  { kind, from, extension, requires }: CustomMethodOptions,
): Method {
  assertCustomName(name);
  if (extension !== undefined) assertExtensionName(extension);
  return {
    name,
    kind,
    from,
    params: checkObject,
    ...(extension !== undefined && { extension }),
    ...(requires !== undefined && { needs: { side: "client", capability: requires } }),
  };
}

/** Throws UsageError for a name of the specification, and for those that JSON-RPC keeps for itself. */
export function assertCustomName(name: string): void {
  if (typeof name !== "string" || name === "") throw new UsageError("A method needs a name.");
  if (methods.has(name))
    throw new UsageError(
      `${name} is a method of the specification; choose another name for a custom method.`,
    );
  if (name.startsWith("rpc."))
    throw new UsageError(`${name} can't be used: JSON-RPC reserves names that begin with "rpc.".`);
}

const extensionName =
  /^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z](?:[a-z0-9-]*[a-z0-9])?)*\/[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i;

/** basic/versioning#extension-negotiation (2026-07-28): the rules of `_meta` keys, with a prefix. */
function assertExtensionName(name: string): void {
  if (extensionName.test(name)) return;
  throw new UsageError(
    `${JSON.stringify(name)} is not the name of an extension; write a prefix and a name, such as "com.example/reports".`,
  );
}

/** The schema of a custom method's params, as far as it checks them. */
interface ParamsSchema {
  validate(value: unknown): MaybePromise<ValidationResult<unknown>>;
}

/**
 * The params of a custom method in the form that their schema gives them, without `_meta`, which
 * belongs to the protocol. Throws the RpcError of invalid params.
 */
export async function checkCustomParams(
  method: string,
  schema: ParamsSchema | undefined,
  { _meta: _, ...params }: JsonObject,
): Promise<unknown> {
  if (schema === undefined) return params;
  const checked = await schema.validate(params);
  if (checked.ok) return checked.value;
  const { issues } = checked;
  throw invalidParams(`Invalid params of ${method}:\n${describeIssues(issues)}`, { issues });
}
