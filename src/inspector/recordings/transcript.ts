import { record, type Transcript, type TranscriptEntry } from "allspeak/testing";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { MetaKey } from "../../protocol/meta.ts";
import { targetOf } from "../../protocol/method.ts";
import { methods } from "../../protocol/method-table.ts";
import { shownTask } from "../../testing/transcript/task-states.ts";
import type { WireRecord } from "../wire/wire-record.ts";

/** The transcript of the messages of a connection, with secrets masked. What is not a message is in it as text. */
export function toTranscript(records: readonly WireRecord[], kind: string): Transcript {
  const said = records.filter((record) => record.kind !== "http" && record.kind !== "note");
  const recording = record();
  for (const { text, direction } of said) recording.onText(text, direction);
  const startedAt = said[0]?.at ?? Date.now();
  const { leftOut, ...recorded } = recording.transcript;
  const entries = recorded.entries.map((entry, index) => {
    const at = (said[index]?.at ?? startedAt) - startedAt;
    return { ...entry, at: Math.round(at * 10) / 10 };
  });
  return {
    version: 1,
    startedAt: new Date(startedAt).toISOString(),
    transport: { kind },
    entries,
    ...(leftOut !== undefined && { leftOut }),
  };
}

/** A request of the client with its answer. */
export interface Exchange {
  readonly method: string;
  readonly name?: string;
  readonly params: JsonObject;
  /** A result, or `{ error }`; undefined if there was none. */
  readonly answer: unknown;
  readonly ms?: number;
}

/**
 * The requests of the client with their answers. Rounds of one call are one exchange, with its last answer. So is a
 * call with the looks at the task that it became, with the end of the task.
 */
export function toExchanges({ entries }: Transcript): Exchange[] {
  const exchanges: Exchange[] = [];
  const answers = answersById(entries);
  const ends = endsOfTasks(entries, answers);
  const tasks = new Set<unknown>();
  for (const entry of entries) {
    const { from, message } = entry;
    if (from !== "client" || !isObject(message) || typeof message.method !== "string") continue;
    const row = methods.get(message.method);
    if (message.id === undefined || row?.opens || row?.listens || row?.answersWhenBusy) continue;
    const exchange = toExchange(entry, message, message.method, answers);
    if (tasks.has(exchange.params.taskId)) continue;
    const task = createdTask(exchange.answer);
    if (task !== undefined) tasks.add(task);
    const whole = task === undefined ? exchange : withAnswer(exchange, entry, ends.get(task));
    const last = exchanges.at(-1);
    const isNextRound = whole.params.inputResponses !== undefined && last?.method === whole.method;
    if (isNextRound) exchanges[exchanges.length - 1] = { ...whole, params: last.params };
    else exchanges.push(whole);
  }
  return exchanges;
}

/** The first answer of the server to each id. */
function answersById(entries: readonly TranscriptEntry[]): ReadonlyMap<unknown, TranscriptEntry> {
  const answers = new Map<unknown, TranscriptEntry>();
  for (const entry of entries) {
    const { from, message } = entry;
    const isAnswer = from === "server" && isObject(message) && message.method === undefined;
    if (isAnswer && !answers.has(message.id)) answers.set(message.id, entry);
  }
  return answers;
}

/** An answer, and when it came. */
interface Answered {
  readonly answer: unknown;
  readonly at: number;
}

/** The end of each task that came to one: its result, or its error. */
function endsOfTasks(
  entries: readonly TranscriptEntry[],
  answers: ReadonlyMap<unknown, TranscriptEntry>,
): ReadonlyMap<unknown, Answered> {
  const ends = new Map<unknown, Answered>();
  for (const { at, from, message } of entries) {
    if (!isObject(message)) continue;
    const task = from === "server" ? shownTask(message) : undefined;
    if (task?.result !== undefined || task?.error !== undefined)
      ends.set(task.taskId, { answer: toAnswer(task), at });
    const awaited = from === "client" && message.method === "tasks/result" ? message.params : undefined;
    const answered = isObject(awaited) ? answers.get(message.id) : undefined;
    if (isObject(awaited) && answered) ends.set(awaited.taskId, toAnswered(answered));
  }
  return ends;
}

/** The task that a call became. */
function createdTask(answer: unknown): unknown {
  if (!isObject(answer)) return undefined;
  return answer.resultType === "task"
    ? answer.taskId
    : isObject(answer.task)
      ? answer.task.taskId
      : undefined;
}

function toExchange(
  entry: TranscriptEntry,
  { id, params }: JsonObject,
  method: string,
  answers: ReadonlyMap<unknown, TranscriptEntry>,
): Exchange {
  const { _meta, ...own } = isObject(params) ? params : {};
  const answered = answers.get(id);
  const name = targetOf(methods.get(method), own);
  const asked = { method, params: own, ...(name !== undefined && { name }) };
  return withAnswer(asked, entry, answered && toAnswered(answered));
}

/** The exchange with this answer, or with none, and the time that it took. */
function withAnswer(
  { method, name, params }: Omit<Exchange, "answer">,
  { at }: TranscriptEntry,
  answered: Answered | undefined,
): Exchange {
  return {
    method,
    params,
    answer: answered?.answer,
    ...(name !== undefined && { name }),
    ...(answered && { ms: Math.round((answered.at - at) * 10) / 10 }),
  };
}

function toAnswered({ at, message }: TranscriptEntry): Answered {
  return { at, answer: isObject(message) ? toAnswer(message) : undefined };
}

function toAnswer({ result, error }: JsonObject): unknown {
  return error === undefined ? result : { error };
}

/** The first messages, among which are the revision and the server of a connection. */
const opening = 50;

/** The revision and the server of a transcript, from its first messages. */
export function describeTranscript({ entries }: Transcript): { revision?: string; server?: string } {
  const messages = entries.slice(0, opening).map(({ message }) => (isObject(message) ? message : {}));
  const results = messages.map(({ result }) => (isObject(result) ? result : {}));
  const metas = [...messages.map(({ params }) => params), ...results].map((part) =>
    isObject(part) && isObject(part._meta) ? part._meta : {},
  );
  const revision = [
    ...results.map(({ protocolVersion }) => protocolVersion),
    ...metas.map((meta) => meta[MetaKey.protocolVersion]),
  ].find((found) => typeof found === "string");
  const info = [
    ...results.map(({ serverInfo }) => serverInfo),
    ...metas.map((meta) => meta[MetaKey.serverInfo]),
  ].find(isObject);
  return {
    ...(typeof revision === "string" && { revision }),
    ...(typeof info?.name === "string" && { server: info.name }),
  };
}
