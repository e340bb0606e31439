import type { Transcript } from "allspeak/testing";
import { nextTurn } from "../../lib/async/yield-turn.ts";
import { SpecificationCheck } from "../wire/specification-check.ts";
import type { WireLog } from "../wire/wire-log.ts";
import { describeTranscript } from "./transcript.ts";

/** Entries that are added before other work gets its turn. */
const entriesPerTurn = 2_000;

/** Puts the messages of a transcript into the log, with the times at which they were recorded. */
export async function showTranscript(
  transcript: Transcript,
  connection: string,
  wire: WireLog,
): Promise<void> {
  const { revision } = describeTranscript(transcript);
  const check = new SpecificationCheck(() => ({ revision, serverCapabilities: undefined, undeclared: [] }));
  const startedAt = Date.parse(transcript.startedAt);
  for (const [index, { at, from, message, text }] of transcript.entries.entries()) {
    const shown = message === undefined ? text : JSON.stringify(message);
    const source = { connection, check, at: startedAt + at };
    if (shown !== undefined) wire.appendMessage(source, shown, from === "client" ? "sent" : "received");
    if (index % entriesPerTurn === entriesPerTurn - 1) await nextTurn();
  }
  wire.forgetRequests(connection);
}
