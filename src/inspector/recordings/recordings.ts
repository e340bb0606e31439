import type { Transport } from "allspeak/client";
import { encodeTranscript, parseTranscript, replay, type Transcript } from "allspeak/testing";
import type { RecordingView } from "../messages/recording.ts";
import { InspectorError } from "../session/failure.ts";
import { describeTranscript } from "./transcript.ts";

const maxRecordings = 100;
const maxBytes = 128 * 1024 * 1024;

/** A recording of the session. */
export interface SavedRecording {
  readonly view: RecordingView;
  /** The transcript as a file. */
  readonly text: string;
}

/** The recordings of the session. */
export class Recordings {
  readonly #all = new Map<string, SavedRecording>();
  #count = 0;

  get views(): readonly RecordingView[] {
    return [...this.#all.values()].map(({ view }) => view);
  }

  get(id: string): SavedRecording {
    const found = this.#all.get(id);
    if (found) return found;
    throw new InspectorError("not-found", "There is no such recording.");
  }

  /** A way to connect to a recording as if it were a server. */
  open(id: string): Transport {
    return replay(this.transcriptOf(id)).asServer().transport;
  }

  transcriptOf(id: string): Transcript {
    return parseTranscript(this.get(id).text);
  }

  /** Adds the text of a file; throws if it is not a transcript. */
  load(name: string, text: string): RecordingView {
    return this.add(name, parseTranscript(text));
  }

  add(name: string, transcript: Transcript): RecordingView {
    const text = encodeTranscript(transcript);
    const bytes = Buffer.byteLength(text);
    const used = this.views.reduce((sum, view) => sum + view.bytes, bytes);
    if (this.#all.size >= maxRecordings || used > maxBytes)
      throw new InspectorError("too-much", "There is no room for another recording.", {
        hint: "Save some to files, and delete them here.",
      });
    const id = `r${++this.#count}`;
    const view = {
      id,
      name,
      messages: transcript.entries.length,
      bytes,
      createdAt: Date.now(),
      ...describeTranscript(transcript),
    };
    this.#all.set(id, { view, text });
    return view;
  }

  delete(id: string): void {
    this.get(id);
    this.#all.delete(id);
  }
}
