/**
 * Thrown at a question that can only be answered in another round, to end the handler there.
 *
 * Let it pass: a handler that catches everything asks `isSuspension` and throws it again.
 */
export class Suspension extends Error {
  override readonly name = "Suspension";

  constructor() {
    super(
      "The handler ends here and runs again when its client has answered; don't catch this, or throw it again.",
    );
  }
}

/**
 * Whether this is how a handler ends to run again, and no failure; also when it is the cause
 * of another error, or one of several that an AggregateError holds.
 */
export function isSuspension(error: unknown): boolean {
  return [...withCauses(error)].some((one) => one instanceof Suspension);
}

/** An error and all that led to it. */
export function withCauses(error: unknown): ReadonlySet<unknown> {
  const all = new Set([error]);
  for (const one of all) {
    if (one instanceof Error && one.cause !== undefined) all.add(one.cause);
    if (one instanceof AggregateError) for (const inner of one.errors) all.add(inner);
  }
  return all;
}

/** Thrown where a handler goes on without its caller, to end it there and run it again as a task. */
export class Detachment extends Suspension {}

export function isDetachment(error: unknown): boolean {
  return [...withCauses(error)].some((one) => one instanceof Detachment);
}
