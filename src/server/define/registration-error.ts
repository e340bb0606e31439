import { RegistrationError } from "../../errors.ts";

/** Runs one step of a registration. Whatever it throws becomes a RegistrationError that begins with `problem`. */
export function rethrowAsRegistrationError<T>(problem: string, compile: () => T): T {
  try {
    return compile();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RegistrationError(`${problem}: ${reason}`, { cause });
  }
}
