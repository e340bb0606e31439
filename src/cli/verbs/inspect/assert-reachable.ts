import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { escapeLine } from "../../show/escape.ts";

/** The time after which a server that is slow to answer counts as one that is there. */
const waitMs = 3_000;

/** Refuses a URL where no server listens. Any answer will do, also one that refuses. */
export async function assertReachable(url: string, hint: string): Promise<void> {
  const signal = AbortSignal.timeout(waitMs);
  try {
    const response = await fetch(url, { method: "OPTIONS", redirect: "manual", signal });
    await response.body?.cancel();
  } catch (error) {
    if (signal.aborted) return;
    const { cause } = error as Error;
    const reason = cause instanceof Error && cause.message ? cause.message : (error as Error).message;
    throw new CommandError(
      `Nothing answers at ${escapeLine(url)}: ${escapeLine(reason)}.`,
      ExitCode.unreachable,
      {
        hint,
        cause: error,
      },
    );
  }
}
