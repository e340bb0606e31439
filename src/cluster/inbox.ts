import { isObject, type JsonObject } from "../lib/json.ts";
import { type EventStore, type StoredEvent, streamStart } from "../state/state.ts";
import { StreamTail } from "../state/stream-tail.ts";

/** A short note to one node about something in the store that only it can use. */
export type Note =
  /** The client has answered a question of that node. */
  | { readonly type: "answer"; readonly session: string; readonly question: string }
  /** The client reports how far it is with a question. */
  | {
      readonly type: "progress";
      readonly session: string;
      readonly owner: string;
      readonly params: JsonObject;
    }
  /** Messages wait for an HTTP+SSE stream that the node holds. */
  | { readonly type: "posted"; readonly stream: string };

export interface InboxParts {
  readonly events: EventStore;
  readonly node: string;
  readonly report: (message: string, cause: unknown) => void;
}

/** A note that was not read by then is for a node that is gone, and not only cut off the store. */
export const noteTtlMs: number = 10 * 60_000;
/** Larger things are stored by themselves: they would push out the notes of others. */
export const maxNoteChars = 8_192;

type NoteListener = (note: Note) => Promise<void>;

/** The notes that other nodes write to this one. */
export class Inbox {
  readonly #parts: InboxParts;
  readonly #listeners = new Map<Note["type"], NoteListener>();
  #tail: StreamTail | undefined;

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  start(): void {
    const { events, node, report } = this.#parts;
    this.#tail ??= new StreamTail(
      {
        events,
        stream: toStream(node),
        onEvents: (notes) => {
          for (const note of notes) void this.#take(note);
        },
        onFailure: (cause) => report("The notes of other nodes can't be read", cause),
      },
      streamStart,
    );
  }

  /** Takes all notes of a kind. */
  on<Type extends Note["type"]>(
    type: Type,
    listener: (note: Extract<Note, { type: Type }>) => Promise<void>,
  ): void {
    this.#listeners.set(type, listener as NoteListener);
  }

  /** Writes a note to another node. Rejects when it was not stored. */
  async send(node: string, note: Note): Promise<void> {
    await this.#parts.events.append(toStream(node), [JSON.stringify(note)], noteTtlMs);
  }

  async close(): Promise<void> {
    this.#tail?.close();
    if (this.#tail) await this.#parts.events.remove(toStream(this.#parts.node));
  }

  async #take(stored: StoredEvent): Promise<void> {
    try {
      const note: unknown = JSON.parse(stored.text);
      if (isObject(note)) await this.#listeners.get((note as Note).type)?.(note as Note);
    } catch (cause) {
      this.#parts.report("A note of another node could not be used", cause);
    }
  }
}

function toStream(node: string): string {
  return `inbox/${node}`;
}
