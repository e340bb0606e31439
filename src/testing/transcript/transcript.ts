import { UsageError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { isNestedDeeper } from "../../lib/json-depth.ts";
import { maxDepth } from "../../protocol/parse.ts";

/** A conversation on the wire, as `record()` writes it down. */
export interface Transcript {
  readonly version: 1;
  /** The time of the start, by ISO 8601. */
  readonly startedAt: string;
  readonly transport: { readonly kind: string; readonly address?: string | undefined };
  readonly entries: readonly TranscriptEntry[];
  /** The number of entries that were left out at the end, because the transcript was full. */
  readonly leftOut?: number | undefined;
}

export type Side = "client" | "server";

/** One message, with what its transport adds to it. */
export interface TranscriptEntry {
  /** Milliseconds since the start. */
  readonly at: number;
  readonly from: Side;
  /** The number of the connection, from 1; absent where there is only one. */
  readonly connection?: number | undefined;
  /** The message, or the messages of a batch; absent for a text that is none, and where HTTP carries none. */
  readonly message?: WireMessage | undefined;
  /** Text that is not JSON, or is nested too deeply for a message. */
  readonly text?: string | undefined;
  readonly http?: HttpFacts | undefined;
}

export type WireMessage = JsonObject | readonly unknown[];

/** The request, or the response, that carried a message. */
export interface HttpFacts {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | undefined;
  readonly headers: { readonly [name: string]: string };
}

/** A transcript as JSON lines: the first describes it, each other one is an entry. */
export function encodeTranscript({ entries, version, ...head }: Transcript): string {
  return [{ transcript: version, ...head }, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** The transcript in a text; throws a UsageError that names the line which is wrong. */
export function parseTranscript(text: string): Transcript {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [head, ...entries] = lines.map((line, index) => parseLine(line, index + 1));
  if (head?.transcript !== 1)
    throw new UsageError('This is not a transcript of version 1: its first line must have "transcript": 1.');
  const { transcript, startedAt, transport, leftOut } = head;
  if (typeof startedAt !== "string" || !isObject(transport) || typeof transport.kind !== "string")
    throw new UsageError("Line 1 of the transcript must have startedAt and transport.kind.");
  return {
    version: transcript,
    startedAt,
    transport: transport as unknown as Transcript["transport"],
    entries: entries.map((entry, index) => toEntry(entry, index + 2)),
    ...(typeof leftOut === "number" && { leftOut }),
  };
}

function parseLine(line: string, number: number): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new UsageError(`Line ${number} of the transcript is not JSON.`, { cause });
  }
  if (isObject(value)) return value;
  throw new UsageError(`Line ${number} of the transcript is not an object.`);
}

function toEntry(entry: JsonObject, number: number): TranscriptEntry {
  const { at, from, message, text } = entry;
  const problem =
    typeof at !== "number"
      ? "at, a number of milliseconds"
      : from !== "client" && from !== "server"
        ? 'from, "client" or "server"'
        : message !== undefined && !isObject(message) && !Array.isArray(message)
          ? "a message that is an object, or an array of them"
          : text !== undefined && typeof text !== "string"
            ? "a text that is a string"
            : isNestedDeeper(entry, maxDepth + 1)
              ? `a message of at most ${maxDepth} levels`
              : undefined;
  if (problem === undefined) return entry as unknown as TranscriptEntry;
  throw new UsageError(`Line ${number} of the transcript must have ${problem}.`);
}

/** The message in a text, or the text itself where it is none, or one that no peer reads. */
export function toContent(text: string): Pick<TranscriptEntry, "message" | "text"> {
  try {
    const message: unknown = JSON.parse(text);
    const isMessage = (isObject(message) || Array.isArray(message)) && !isNestedDeeper(message, maxDepth);
    return isMessage ? { message } : { text };
  } catch {
    return { text };
  }
}
