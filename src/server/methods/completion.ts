import { InvalidOutputError, RpcError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import type { Completion } from "../../protocol/model/completion.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { invalidParams, WireCode } from "../../protocol/wire-error.ts";

import { type AccessOptions, mayUse } from "../access.ts";
import { MountFailure } from "../catalog/mount-failure.ts";
import { requestMounted } from "../catalog/mounted-requests.ts";
import { unprefixed } from "../catalog/mounts.ts";
import { CallContext } from "../context/call-context.ts";
import type { Completer } from "../define/completion.ts";
import type { MethodCall } from "./method-call.ts";

// server/utilities/completion#completion-results (2025-11-25)
const maxValues = 100;

interface Completable {
  readonly options: AccessOptions & {
    readonly complete?: { readonly [name: string]: Completer | undefined } | undefined;
  };
}

/** Suggests values for an argument of a prompt or a variable of a template. */
export async function completeArgument(request: MethodCall): Promise<JsonObject> {
  const { call, ctx } = request;
  const ref = call.params.ref as { type: string; name?: string; uri?: string };
  const argument = call.params.argument as { name: string; value: string };
  const target = findTarget(request, ref);
  if (target === undefined || !(await mayUse(target.options, ctx))) return completeMounted(request, ref);
  const completers = target.options.complete ?? {};
  const completer = Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined;
  if (completer === undefined) return toCompleteResult(argument.name, []);
  return toCompleteResult(
    argument.name,
    await completer(argument.value, new CompletionContext(request, othersOf(call.params.context))),
  );
}

function findTarget(
  { catalog }: MethodCall,
  ref: { type: string; name?: string; uri?: string },
): Completable | undefined {
  if (ref.type === "ref/prompt") return catalog.prompts.get(ref.name ?? "");
  const uri = ref.uri ?? "";
  return catalog.templates.get(uri) ?? catalog.resources.get(uri);
}

async function completeMounted(
  { catalog, call }: MethodCall,
  ref: { name?: string; uri?: string },
): Promise<JsonObject> {
  let failure: RpcError | undefined;
  for (const mounted of catalog.mounts) {
    if (!hasCapability(mounted.mount.capabilities, "completions")) continue;
    const name = ref.name === undefined ? undefined : unprefixed(mounted, ref.name);
    if (ref.name !== undefined && name === undefined) continue;
    const inner = name === undefined ? ref : { ...ref, name };
    try {
      return await requestMounted(mounted, call, { ...call.params, ref: inner });
    } catch (error) {
      if (!mayBeUnknown(error)) throw error;
      if (error instanceof MountFailure) failure = error;
    }
  }
  throw failure ?? invalidParams(`Nothing to complete: ${ref.name ?? ref.uri}`);
}

/** True if another mount may know the reference: URIs have no prefix that names their mount. */
function mayBeUnknown(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  const { wireCode } = error;
  return (
    error instanceof MountFailure ||
    wireCode === WireCode.invalidParams ||
    wireCode === WireCode.methodNotFound
  );
}

function othersOf(context: unknown): { readonly [name: string]: string } {
  const given = isObject(context) && isObject(context.arguments) ? context.arguments : {};
  return given as { readonly [name: string]: string };
}

class CompletionContext extends CallContext {
  readonly others: { readonly [name: string]: string };

  constructor({ call, catalog }: MethodCall, others: { readonly [name: string]: string }) {
    super(call, catalog.settings.logLevel);
    this.others = others;
  }
}

/** Makes a `completion/complete` result of a completer's return value. */
function toCompleteResult(name: string, given: unknown): JsonObject {
  const completion = (isObject(given) ? given : { values: given }) as unknown as Completion;
  const values: unknown = completion.values;
  if (!Array.isArray(values) || !values.every(isString)) {
    const wrong: unknown = Array.isArray(values) ? values.find((value) => !isString(value)) : given;
    throw new InvalidOutputError(
      `The completer of "${name}" must return strings, or { values } of strings, not ${describeValue(wrong)}.`,
    );
  }
  const shown = values.slice(0, maxValues);
  const total = completion.total ?? completion.values.length;
  return { completion: { values: shown, total, hasMore: completion.hasMore ?? total > shown.length } };
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
