import { UsageError } from "../errors.ts";
import type { OptionKinds } from "./options.ts";

/** Pings at an interval, which notice a peer that no longer answers. */
export interface PingOptions {
  /** The time between two pings, in milliseconds. */
  readonly everyMs: number;
  /** The longest wait for an answer. Default: `everyMs`, and at most 10,000. */
  readonly timeoutMs?: number | undefined;
  /** The failures in a row after which the connection is closed; `Infinity` for never. Default 3. */
  readonly maxFailures?: number | undefined;
}

export const pingOptionKinds: OptionKinds<PingOptions> = {
  everyMs: "number",
  timeoutMs: "number",
  maxFailures: "number",
};

export function assertPingOptions(options: PingOptions | undefined): void {
  if (options !== undefined && !(options.everyMs > 0))
    throw new UsageError(`ping.everyMs must be a number of milliseconds above 0, not ${options.everyMs}.`);
}
