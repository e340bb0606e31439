import { isPromise, type MaybePromise } from "../../lib/async/maybe-promise.ts";
import { isObject } from "../../lib/json.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import { CallContext, type ContextOptions } from "../context/call-context.ts";
import { isInputRequired } from "../define/input-required.ts";
import type { MethodCall } from "../methods/method-call.ts";
import { isDetachment } from "./suspension.ts";

export interface HandlerRunOptions {
  /** Accepts each `requestState` only once. */
  readonly singleUse?: boolean | undefined;
}

type Run<C> = (ctx: C) => unknown;

/** Runs an author's handler. The result of a run with unanswered questions is `input_required`. */
export function runHandler(
  request: MethodCall,
  run: Run<CallContext>,
  options?: HandlerRunOptions,
): MaybePromise<unknown> {
  return isLaterRound(request) ? runLaterRound(request, run, options) : runRound(request, request.ctx, run);
}

async function runLaterRound(
  request: MethodCall,
  run: Run<CallContext>,
  options?: HandlerRunOptions,
): Promise<unknown> {
  const { call, catalog } = request;
  const { resumeRound } = await loadRoundState();
  const resumed = await resumeRound(request, options?.singleUse);
  const earlier = { ...resumed, mayDetach: request.detach !== undefined };
  return runRound(request, new CallContext(call, catalog.settings.logLevel, earlier), run);
}

/** Runs a handler that needs another kind of context. */
export async function runHandlerWith<C extends CallContext>(
  request: MethodCall,
  toContext: (earlier?: ContextOptions) => C,
  run: Run<C>,
): Promise<unknown> {
  if (!isLaterRound(request)) return runRound(request, toContext(), run);
  const { resumeRound } = await loadRoundState();
  return runRound(request, toContext(await resumeRound(request)), run);
}

function isLaterRound({ call }: MethodCall): boolean {
  if (call.revision.asking !== "rounds") return false;
  const { inputResponses, requestState } = call.params;
  // Many clients write null for an absent member.
  if (inputResponses != null && !isObject(inputResponses))
    throw invalidParams("inputResponses must be an object.");
  return requestState !== undefined;
}

function runRound<C extends CallContext>(request: MethodCall, ctx: C, run: Run<C>): MaybePromise<unknown> {
  const finish = (returned: unknown) => finishRound(request, ctx, returned);
  const fail = (error: unknown) => failRound(request, ctx, error);
  let returned: unknown;
  try {
    returned = run(ctx);
  } catch (error) {
    return fail(error);
  }
  return isPromise(returned) ? Promise.resolve(returned).then(finish, fail) : finish(returned);
}

function finishRound(request: MethodCall, ctx: CallContext, returned: unknown): MaybePromise<unknown> {
  ctx.conclude({});
  if (ctx.unanswered > 0) reportUnanswered(request, ctx.unanswered);
  if (!isInputRequired(returned) || request.suspend) return returned;
  return loadRoundState().then(({ sealRequestState }) => sealRequestState(request, returned));
}

async function failRound(request: MethodCall, ctx: CallContext, error: unknown): Promise<unknown> {
  const open = ctx.conclude({ error }) ?? (await ctx.requireUrlElicitations(error));
  if (request.detach && isDetachment(error)) return request.detach(ctx.record());
  if (open === undefined) throw error;
  if (request.suspend) return request.suspend(open);
  const { suspendRound } = await loadRoundState();
  return suspendRound(request, open);
}

/** Logs a handler that returned before its client answered: most often an `await` is missing. */
function reportUnanswered({ catalog, call }: MethodCall, count: number): void {
  const { method, params } = call;
  const target = params.name ?? params.uri;
  const what = target === undefined ? method : `${method} of ${JSON.stringify(target)}`;
  const message = `The handler of ${what} returned while ${count} of its questions had no answer; write "await ctx.elicit(…)", and await ctx.sample, ctx.roots and ctx.request likewise`;
  catalog.settings.log({ message });
}

/** Loaded with the first later round: most calls have only one, and servers start faster without it. */
function loadRoundState(): Promise<typeof import("./round-state.ts")> {
  return import("./round-state.ts");
}
