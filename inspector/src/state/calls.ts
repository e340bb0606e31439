import { signal } from "@preact/signals";
import type { LoadSample } from "../../../src/inspector/messages/judge.ts";
import type { Failure } from "../../../src/inspector/messages/reply.ts";
import type { RevisionAnswer } from "../../../src/inspector/messages/revisions.ts";
import type { RequestParams, RequestResult, RequestType } from "../../../src/inspector/messages.ts";
import type { Task } from "../../../src/protocol/model/task.ts";
import { useKept } from "./kept.ts";
import { onEvent, request, send, toFailure } from "./link.ts";

/** A request that takes its time, with what is known before it ends: the bar at the bottom shows it until then. */
export interface OpenCall {
  readonly id: number;
  readonly title: string;
  readonly connection?: string;
  readonly startedAt: number;
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string };
  readonly task?: Task;
  /** What the doctor does now. */
  readonly step?: string;
  readonly samples?: readonly LoadSample[];
  readonly answers?: readonly RevisionAnswer[];
}

export type Outcome<Result> =
  | { readonly state: "idle" }
  | { readonly state: "running"; readonly id: number }
  | { readonly state: "done"; readonly result: Result }
  | { readonly state: "failed"; readonly failure: Failure };

export const openCalls = signal<readonly OpenCall[]>([]);

const maxSamples = 2000;

onEvent("progress", ({ request: id, progress, total, message }) =>
  change(id, () => ({
    progress: { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) },
  })),
);
onEvent("task", ({ request: id, task }) => change(id, () => ({ task })));
onEvent("examine-step", ({ request: id, what }) => change(id, () => ({ step: what })));
onEvent("load-sample", ({ request: id, sample }) =>
  change(id, ({ samples = [] }) => ({ samples: [...samples.slice(1 - maxSamples), sample] })),
);
onEvent("revision-answer", ({ request: id, answer }) =>
  change(id, ({ answers = [] }) => ({ answers: [...answers, answer] })),
);

function change(id: number, members: (call: OpenCall) => Partial<OpenCall>): void {
  openCalls.value = openCalls.value.map((call) => (call.id === id ? { ...call, ...members(call) } : call));
}

/** The open call of an outcome that is not there yet. */
export function openCallOf(outcome: Outcome<unknown>): OpenCall | undefined {
  if (outcome.state !== "running") return undefined;
  return openCalls.value.find(({ id }) => id === outcome.id);
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

const idle = { state: "idle" } as const;

/**
 * The last outcome of the calls that one part of the page makes, and how to report the next one. A person who leaves
 * the part during a call finds its progress or its result again.
 */
export function useOutcome<Result>(
  part: string,
): readonly [outcome: Outcome<Result>, report: (outcome: Outcome<Result>) => void] {
  return useKept<Outcome<Result>>(`outcome of ${part}`, idle);
}

export function cancel(id: number): void {
  request("cancel", { request: id }).catch(() => {
    // It was answered meanwhile: there is nothing left to give up.
  });
}
