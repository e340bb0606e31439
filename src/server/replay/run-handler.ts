import { isObject } from "../../lib/json.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import { CallContext, type ContextOptions } from "../context/call-context.ts";
import { isInputRequired } from "../define/input-required.ts";
import type { MethodCall } from "../methods/method-call.ts";
import { isDetachment } from "./suspension.ts";

export interface HandlerRunOptions {
  /** Whether a client may go on only once from where a round left it. */
  readonly singleUse?: boolean | undefined;
}

type Run<C> = (ctx: C) => unknown;

/** Runs an author's function. What it asks and has no answer to is its result, for another round. */
export function runHandler(
  request: MethodCall,
  run: Run<CallContext>,
  options?: HandlerRunOptions,
): Promise<unknown> {
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

/** The same, with a context of another kind. */
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
  // Many write null for what is absent.
  if (inputResponses != null && !isObject(inputResponses))
    throw invalidParams("inputResponses must be an object.");
  return requestState !== undefined;
}

async function runRound<C extends CallContext>(request: MethodCall, ctx: C, run: Run<C>): Promise<unknown> {
  let returned: unknown;
  try {
    returned = await run(ctx);
  } catch (error) {
    const open = ctx.conclude({ error }) ?? (await ctx.requireUrlElicitations(error));
    if (request.detach && isDetachment(error)) return request.detach(ctx.record());
    if (open === undefined) throw error;
    if (request.suspend) return request.suspend(open);
    const { suspendRound } = await loadRoundState();
    return suspendRound(request, open);
  }
  ctx.conclude({});
  if (!isInputRequired(returned) || request.suspend) return returned;
  const { sealRequestState } = await loadRoundState();
  return sealRequestState(request, returned);
}

/** Most calls have one round, and most servers start faster without. */
function loadRoundState(): Promise<typeof import("./round-state.ts")> {
  return import("./round-state.ts");
}
