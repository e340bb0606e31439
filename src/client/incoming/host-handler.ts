import { UsageError } from "../../errors.ts";

/** Runs a handler of the host; what it throws says which handler it was. */
export async function runHostHandler<T>(name: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const message = `${name} handler: ${error instanceof Error ? error.message : String(error)}`;
    throw error instanceof UsageError
      ? new UsageError(message, { cause: error })
      : new Error(message, { cause: error });
  }
}
