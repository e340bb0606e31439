import { Suspension, withCauses } from "./suspension.ts";

/** Thrown where a handler goes on without its caller, to end it there and run it again as a task. */
export class Detachment extends Suspension {}

export function isDetachment(error: unknown): boolean {
  return [...withCauses(error)].some((one) => one instanceof Detachment);
}
