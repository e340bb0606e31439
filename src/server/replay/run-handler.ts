import { invalidParams } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { CallContext, type ContextOptions } from "../context/call-context.ts";
import { isInputRequired } from "../define/input-required.ts";
import type { MethodCall } from "../methods/method-call.ts";
import { isDetachment } from "./detachment.ts";

export interface HandlerRunOptions {
  /** Whether a client may go on only once from where a round left it. */
  readonly singleUse?: boolean | undefined;
}

type Run<C> = (ctx: C) => unknown;

/** Runs an author's function. What it asks and has no answer to is its result, for another round. */
export function runHandler(
  asked: MethodCall,
  run: Run<CallContext>,
  options?: HandlerRunOptions,
): Promise<unknown> {
  return isLaterRound(asked) ? runLaterRound(asked, run, options) : runRound(asked, asked.ctx, run);
}

async function runLaterRound(
  asked: MethodCall,
  run: Run<CallContext>,
  options?: HandlerRunOptions,
): Promise<unknown> {
  const { call, catalog: offer } = asked;
  const { resume } = await loadRounds();
  const resumed = await resume(asked, options?.singleUse);
  const earlier = { ...resumed, mayDetach: asked.detach !== undefined };
  return runRound(asked, new CallContext(call, offer.settings.logLevel, earlier), run);
}

/** The same, with a context of another kind. */
export async function runHandlerWith<C extends CallContext>(
  asked: MethodCall,
  toContext: (earlier?: ContextOptions) => C,
  run: Run<C>,
): Promise<unknown> {
  if (!isLaterRound(asked)) return runRound(asked, toContext(), run);
  const { resume } = await loadRounds();
  return runRound(asked, toContext(await resume(asked)), run);
}

function isLaterRound({ call }: MethodCall): boolean {
  if (call.revision.asking !== "rounds") return false;
  const { inputResponses, requestState } = call.params;
  // Many write null for what is absent.
  if (inputResponses != null && !isObject(inputResponses))
    throw invalidParams("inputResponses must be an object.");
  return requestState !== undefined;
}

async function runRound<C extends CallContext>(asked: MethodCall, ctx: C, run: Run<C>): Promise<unknown> {
  let returned: unknown;
  try {
    returned = await run(ctx);
  } catch (error) {
    const open = ctx.conclude({ error }) ?? (await ctx.requireUrlElicitations(error));
    if (asked.detach && isDetachment(error)) return asked.detach(ctx.record());
    if (open === undefined) throw error;
    if (asked.suspend) return asked.suspend(open);
    const { suspend } = await loadRounds();
    return suspend(asked, open);
  }
  ctx.conclude({});
  if (!isInputRequired(returned) || asked.suspend) return returned;
  const { sealByHand } = await loadRounds();
  return sealByHand(asked, returned);
}

/** Most calls have one round, and most servers start faster without. */
function loadRounds(): Promise<typeof import("./round-state.ts")> {
  return import("./round-state.ts");
}
