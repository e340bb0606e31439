import { signal } from "@preact/signals";
import type { Failure } from "../../../src/inspector/messages/reply.ts";
import type { RequestParams, RequestResult, RequestType } from "../../../src/inspector/messages.ts";
import type { Task } from "../../../src/protocol/model/task.ts";
import { onEvent, request, send, toFailure } from "./link.ts";

/** A request that takes its time: the bar at the bottom shows it until it ends. */
export interface OpenCall {
  readonly id: number;
  readonly title: string;
  readonly connection?: string;
  readonly startedAt: number;
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string };
  readonly task?: Task;
}

export type Outcome<Result> =
  | { readonly state: "idle" }
  | { readonly state: "running"; readonly id: number }
  | { readonly state: "done"; readonly result: Result }
  | { readonly state: "failed"; readonly failure: Failure };

export const openCalls = signal<readonly OpenCall[]>([]);

onEvent("progress", ({ request: id, progress, total, message }) =>
  change(id, {
    progress: { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) },
  }),
);
onEvent("task", ({ request: id, task }) => change(id, { task }));

function change(id: number, members: Partial<OpenCall>): void {
  openCalls.value = openCalls.value.map((call) => (call.id === id ? { ...call, ...members } : call));
}

/** Runs a request, shows it as an open call, and reports what becomes of it. */
export async function run<Type extends RequestType>(
  type: Type,
  params: RequestParams<Type>,
  title: string,
  report: (outcome: Outcome<RequestResult<Type>>) => void,
): Promise<void> {
  const { id, reply } = send(type, params);
  const connection = (params as { connection?: string }).connection;
  openCalls.value = [
    ...openCalls.value,
    { id, title, startedAt: Date.now(), ...(connection && { connection }) },
  ];
  report({ state: "running", id });
  try {
    report({ state: "done", result: await reply });
  } catch (error) {
    report({ state: "failed", failure: toFailure(error) });
  } finally {
    openCalls.value = openCalls.value.filter((call) => call.id !== id);
  }
}

/** Outcomes that the page keeps; those that were reported longest ago go first. */
const maxOutcomes = 50;
const outcomes = signal<ReadonlyMap<string, Outcome<unknown>>>(new Map());

/**
 * The last outcome of the calls that one part of the page makes, and how to report the next one. It outlives the view:
 * a person who leaves during a call finds its progress or its result again.
 */
export function useOutcome<Result>(
  part: string,
): readonly [outcome: Outcome<Result>, report: (outcome: Outcome<Result>) => void] {
  const report = (outcome: Outcome<Result>) => {
    const others = [...outcomes.value].filter(([other]) => other !== part);
    outcomes.value = new Map([...others.slice(1 - maxOutcomes), [part, outcome]]);
  };
  return [(outcomes.value.get(part) ?? { state: "idle" }) as Outcome<Result>, report];
}

export function cancel(id: number): void {
  request("cancel", { request: id }).catch(() => {
    // It was answered meanwhile: there is nothing left to give up.
  });
}
