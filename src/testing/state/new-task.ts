import { fail } from "node:assert/strict";
import type { State } from "../../state/state.ts";
import type { ClaimedTask, NewTask } from "../../state/task-store.ts";
import { type ContractScope, longMs } from "./contract-case.ts";

/** A limit that no case reaches. */
export const many = 1000;

/** A task of a case: its queue, its owner and its list belong to the case alone. */
export function toTask({ key }: ContractScope, name: string, given: Partial<NewTask> = {}): NewTask {
  return {
    id: key(name),
    queue: key("queue"),
    owner: key("alice"),
    lister: key("alice"),
    ttlMs: longMs,
    pollIntervalMs: 50,
    work: { name: "dig", arguments: { depth: 3 } },
    ...given,
  };
}

/** Claims the next task of the case's queue. */
export async function claimNext(
  { key }: ContractScope,
  { tasks }: State,
  leaseMs: number = longMs,
): Promise<ClaimedTask> {
  return (await tasks.claim(key("queue"), leaseMs)) ?? fail("There was nothing to claim.");
}
