/**
 * The error that ends a handler at a question that can only be answered in another round.
 *
 * A handler that catches all errors must throw this one again; `isSuspension` recognizes it.
 */
export class Suspension extends Error {
  override readonly name = "Suspension";

  constructor() {
    super(
      "The handler ends here and runs again when its client has answered; don't catch this error, or throw it again.",
    );
  }
}

/**
 * True for the error that ends a handler so that it runs again; also if it is the cause of another
 * error, or one of the errors in an AggregateError.
 */
export function isSuspension(error: unknown): boolean {
  return [...withCauses(error)].some((one) => one instanceof Suspension);
}

/** An error with all its causes and the errors inside AggregateErrors. */
function withCauses(error: unknown): ReadonlySet<unknown> {
  const all = new Set([error]);
  for (const one of all) {
    if (one instanceof Error && one.cause !== undefined) all.add(one.cause);
    if (one instanceof AggregateError) for (const inner of one.errors) all.add(inner);
  }
  return all;
}

/** The error that ends a handler at `ctx.detach()`, to run it again as a task. */
export class Detachment extends Suspension {}

export function isDetachment(error: unknown): boolean {
  return [...withCauses(error)].some((one) => one instanceof Detachment);
}
