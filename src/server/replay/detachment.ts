import { Suspension } from "./suspension.ts";

/** Thrown where a handler goes on without its caller, to end it there and run it again as a task. */
export class Detachment extends Suspension {}

export function isDetachment(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    if (at instanceof Detachment) return true;
  }
  return false;
}
