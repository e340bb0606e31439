import { RegistrationError } from "../../errors.ts";

/** Runs one compile step. Whatever it throws becomes a RegistrationError that begins with `problem`. */
export function compileStep<T>(problem: string, compile: () => T): T {
  try {
    return compile();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RegistrationError(`${problem}: ${reason}`, { cause });
  }
}
