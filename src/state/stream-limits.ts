import type { OptionKinds } from "../lib/option-check.ts";

/** The part of each stream of events that a store keeps. */
export interface StreamLimits {
  /** Events of one stream; beyond it the oldest are dropped. All events of a server go through one. Default 100,000. */
  readonly maxEvents?: number | undefined;
  /** Bytes of one stream; beyond it the oldest events are dropped. Default 16,777,216. */
  readonly maxStreamBytes?: number | undefined;
}

export const streamLimitKinds: OptionKinds<StreamLimits> = {
  maxEvents: "positive",
  maxStreamBytes: "positive",
};

export interface StreamRoom {
  readonly maxEvents: number;
  readonly maxStreamBytes: number;
}

export function toStreamRoom({
  maxEvents = 100_000,
  maxStreamBytes = 16 * 1024 ** 2,
}: StreamLimits): StreamRoom {
  return { maxEvents, maxStreamBytes };
}
