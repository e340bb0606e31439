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

/** Whether this is how a handler ends to run again, and no failure; also when it is the cause of another error. */
export function isSuspension(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    if (at instanceof Suspension) return true;
  }
  return false;
}
