import { assertOptions, type OptionKinds } from "../../contract/options.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import { type HeldTool, PinChecker, type PinCheckResult, type PinOptions } from "./pin-check.ts";
import { type GuardedClient, HeldToolGuard, type ToolGuard } from "./tool-guard.ts";

/** Remembers the definitions of tools as they were first listed. */
export interface ToolPins {
  /** Separates tools that may be used from those that are held back; remembers new ones. */
  check(serverId: string, tools: readonly Tool[]): Promise<PinCheckResult>;
  /** Remembers a tool as it is now. */
  approve(held: HeldTool): Promise<void>;
  /** Keeps tools that are held back from being listed and called through one client. */
  guard(client: GuardedClient): ToolGuard;
}

const pinOptionKinds: OptionKinds<PinOptions> = {
  store: "object",
  approve: "function",
  sharedNames: "boolean",
};

/**
 * Holds back tools that have changed since they were first seen, and those that take
 * another's name: `connect(url, { pin: pinTools({ approve }) })`.
 */
export function pinTools(options: PinOptions = {}): ToolPins {
  assertOptions("pinTools", options, pinOptionKinds);
  const checker = new PinChecker(options);
  return {
    check: (serverId, tools) => checker.check(serverId, tools),
    approve: (held) => checker.approve(held),
    guard: (client) => new HeldToolGuard(checker, client),
  };
}
