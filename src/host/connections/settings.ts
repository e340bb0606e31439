import { FairBudget } from "../../lib/bounded/fair-budget.ts";
import type { HostOptions } from "../options.ts";
import type { HostConnection, HostConnectionSettings } from "./connection.ts";

export function toSettings(options: HostOptions): HostConnectionSettings {
  const { isolation = "shared", backOff, maxRestarts = 5, maxTools = 1_000, listMs = 15_000 } = options;
  const { idleMs = isolation === "shared" ? Number.POSITIVE_INFINITY : 600_000 } = options;
  return { backOff, maxRestarts, idleMs, limits: { maxTools, maxToolChars: 65_536, timeoutMs: listMs } };
}

export function createBudget(count: number): FairBudget<HostConnection> {
  return new FairBudget<HostConnection>({
    count,
    bytes: Number.MAX_SAFE_INTEGER,
    readinessOf: ({ upstream }) => (upstream.running > 0 ? "busy" : "idle"),
    evict: ({ upstream }) => void upstream.stop(),
  });
}
