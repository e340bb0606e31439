import { record, type Transcript, type TranscriptEntry } from "allspeak/testing";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { MetaKey } from "../../protocol/meta.ts";
import { targetOf } from "../../protocol/method.ts";
import { methods } from "../../protocol/method-table.ts";
import type { WireRecord } from "../wire/wire-record.ts";

/** The transcript of what a connection said, with secrets masked. What is not a message is in it as text. */
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

/** The requests of the client with their answers. Rounds of one call are one exchange, with its last answer. */
export function toExchanges({ entries }: Transcript): Exchange[] {
  const exchanges: Exchange[] = [];
  const answers = answersById(entries);
  for (const entry of entries) {
    const { from, message } = entry;
    if (from !== "client" || !isObject(message) || typeof message.method !== "string") continue;
    const row = methods.get(message.method);
    if (message.id === undefined || row?.opens || row?.listens || row?.answersWhenBusy) continue;
    const exchange = toExchange(entry, message, message.method, answers);
    const last = exchanges.at(-1);
    const isNextRound = exchange.params.inputResponses !== undefined && last?.method === exchange.method;
    if (isNextRound) exchanges[exchanges.length - 1] = { ...exchange, params: last.params };
    else exchanges.push(exchange);
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

function toExchange(
  { at }: TranscriptEntry,
  { id, params }: JsonObject,
  method: string,
  answers: ReadonlyMap<unknown, TranscriptEntry>,
): Exchange {
  const { _meta, ...own } = isObject(params) ? params : {};
  const answered = answers.get(id);
  const answer = isObject(answered?.message) ? toAnswer(answered.message) : undefined;
  const name = targetOf(methods.get(method), own);
  return {
    method,
    params: own,
    answer,
    ...(name !== undefined && { name }),
    ...(answered && { ms: Math.round((answered.at - at) * 10) / 10 }),
  };
}

function toAnswer({ result, error }: JsonObject): unknown {
  return error === undefined ? result : { error };
}

/** The messages among which a connection tells its revision and its server. */
const opening = 50;

/** The revision and the server of a transcript, as its first messages tell. */
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
