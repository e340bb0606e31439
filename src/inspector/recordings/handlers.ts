import type { JsonObject } from "../../lib/json.ts";
import { FreeValues } from "../../testing/transcript/free-values.ts";
import type { InspectedConnection } from "../connections/connection.ts";
import type { RecordingRequests } from "../messages/recording.ts";
import { toReachable } from "../revisions/handlers.ts";
import { toFailure } from "../session/failure.ts";
import type { Handlers } from "../session/handler.ts";
import { compareExchanges } from "./comparison.ts";
import { RecordedAnswers } from "./recorded-answers.ts";
import { showTranscript } from "./show-transcript.ts";
import { toTestFiles } from "./test-file.ts";
import { type Exchange, toExchanges, toTranscript } from "./transcript.ts";

export const recordingHandlers: Handlers<keyof RecordingRequests> = {
  "save-recording"({ connection: id, name, between }, { session }) {
    const [first, last] = between ?? [0, Number.POSITIVE_INFINITY];
    const { transport = "unknown" } = session.connections.get(id).view;
    const records = session.wire.of(id).filter(({ seq }) => seq >= first && seq <= last);
    return { recording: session.recordings.add(name, toTranscript(records, transport)) };
  },

  "load-recording": ({ name, text }, { session }) => ({ recording: session.recordings.load(name, text) }),

  async "show-recording"({ recording }, { session }) {
    const before = session.wire.lastSeq;
    await showTranscript(session.recordings.transcriptOf(recording), recording, session.wire);
    const wire = session.wire.spanOf(recording, before);
    return { connection: recording, ...(wire && { wire }) };
  },

  "read-recording"({ recording }, { session }) {
    const { view, text } = session.recordings.get(recording);
    return { fileName: toFileName(view.name), text };
  },

  "list-recordings": (_params, { session }) => ({ recordings: session.recordings.views }),

  "delete-recording"({ recording }, { session }) {
    session.recordings.delete(recording);
    return {};
  },

  async "replay-recording"({ recording, target }, { session, signal }) {
    const transcript = session.recordings.transcriptOf(recording);
    // A call that was given up has no answer to compare, and nobody wants it again.
    const recorded = toExchanges(transcript).filter(({ answer }) => answer !== undefined);
    const answers = new RecordedAnswers(transcript);
    const connection = session.connections.create({
      ...toReachable(target, session),
      purpose: "replay",
      answers,
    });
    try {
      await session.connections.open(connection, signal);
      const run = { connection, values: new FreeValues(), signal };
      const repeated: Exchange[] = [];
      for (const exchange of recorded) repeated.push(await repeat(exchange, run));
      const comparison = compareExchanges(recorded, repeated);
      return { connection: connection.id, comparison, answered: answers.given };
    } finally {
      await connection.close();
    }
  },

  async "connect-recording"({ recording, options = {} }, { session, signal }) {
    const { revision } = session.recordings.get(recording).view;
    const connection = session.connections.create({
      target: { kind: "recording", recording },
      options: { ...(revision !== undefined && { revisions: [revision] }), ...options },
    });
    await session.connections.open(connection, signal);
    return { connection: connection.view };
  },

  "compare-recordings"({ left, right }, { session: { recordings } }) {
    const [first, second] = [recordings.transcriptOf(left), recordings.transcriptOf(right)];
    return { comparison: compareExchanges(toExchanges(first), toExchanges(second)) };
  },

  "recording-as-test"({ recording }, { session }) {
    const { view, text } = session.recordings.get(recording);
    return { files: toTestFiles(view, toFileName(view.name), text) };
  },
};

interface Run {
  readonly connection: InspectedConnection;
  /** The ids and cursors of the server that requests are sent to now. */
  readonly values: FreeValues;
  readonly signal: AbortSignal;
}

/** Sends a recorded request again. */
async function repeat(exchange: Exchange, { connection, values, signal }: Run): Promise<Exchange> {
  const startedAt = performance.now();
  const { method, params } = exchange;
  const live = values.translate({ id: 0, method, params }, "client") as { readonly params: JsonObject };
  const answer = await connection.client.request(method, live.params, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    const { rpc, message } = toFailure(error);
    return { error: rpc ?? { message } };
  });
  values.learn({ result: exchange.answer }, { result: answer }, "server");
  return { ...exchange, answer, ms: Math.round((performance.now() - startedAt) * 10) / 10 };
}

function toFileName(name: string): string {
  return `${name.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^[.-]+|-+$/g, "") || "recording"}.jsonl`;
}
