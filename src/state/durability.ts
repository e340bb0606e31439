import { StoreUnavailableError } from "../errors/overloaded-error.ts";
import { McpError } from "../errors.ts";
import type { Durability, DurabilityLevel } from "./state.ts";

/** The levels, weakest first. */
export const durabilityLevels: readonly DurabilityLevel[] = [
  "none",
  "node-crash",
  "store-crash",
  "power-loss",
  "machine-loss",
];

export interface DurabilityFindings {
  /** The level that the settings of the store give. */
  readonly level: DurabilityLevel;
  /** The level that was asked for. Default: `store-crash`. */
  readonly asked?: DurabilityLevel | undefined;
  /** The settings that a stronger level needs: each with its value, and what to do. */
  readonly problems: readonly string[];
}

/** The durability of a store, with warnings where it is weaker than asked. */
export function toDurability({ level, asked = "store-crash", problems }: DurabilityFindings): Durability {
  if (durabilityLevels.indexOf(level) >= durabilityLevels.indexOf(asked)) return { level, warnings: [] };
  const weaker = `The store promises durability "${level}", but "${asked}" is asked for.`;
  return {
    level,
    warnings: problems.length === 0 ? [weaker] : problems.map((problem) => `${weaker} ${problem}`),
  };
}

/** Reads what a store promises; rejects with StoreUnavailableError when it can't be asked. */
export async function askForDurability(read: () => Promise<Durability>): Promise<Durability> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof McpError) throw cause;
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    throw new StoreUnavailableError(`The store does not say how durable it is: ${reason}`, { cause });
  }
}
