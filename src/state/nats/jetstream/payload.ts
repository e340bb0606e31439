import { randomHex } from "../../../lib/encoding/random-token.ts";
import { anyKey, type NatsStore, type StreamName } from "./store.ts";
import type { StoredMessage } from "./stored-message.ts";

/** The header of a message whose text is in other messages, because it is longer than a message may be. */
const partsHeader = "Allspeak-Parts";
/** The header of a part: the id of all parts of one text. */
const partHeader = "Allspeak-Part";
/** The header of the bytes of all parts. */
const bytesHeader = "Allspeak-Bytes";

export interface Payload {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Parts {
  readonly id: string;
  readonly count: number;
}

/** Texts as payloads of messages. Parts are stored before the message that names them, so that it appears as a whole. */
export class Payloads {
  readonly #store: NatsStore;
  readonly #name: StreamName;

  constructor(store: NatsStore, name: StreamName) {
    this.#store = store;
    this.#name = name;
  }

  async write(text: string): Promise<Payload> {
    const bytes = new TextEncoder().encode(text);
    const max = this.#store.maxMessageBytes;
    if (bytes.length <= max) return { bytes, headers: {} };
    const id = randomHex(12);
    const count = Math.ceil(bytes.length / max);
    for (let at = 0; at < count; at++) {
      const part = bytes.subarray(at * max, (at + 1) * max);
      await this.#store.jetstream.publish(this.#subject(id, String(at)), part, {
        headers: { [partHeader]: id },
      });
    }
    const headers = { [partsHeader]: `${id}.${count}`, [bytesHeader]: String(bytes.length) };
    return { bytes: new Uint8Array(), headers };
  }

  /** The text of a message; undefined when its parts are gone, because it was replaced meanwhile. */
  async read(message: StoredMessage): Promise<string | undefined> {
    const parts = partsOf(message);
    if (parts === undefined) return createDecoder().decode(message.data);
    const { jetstream } = this.#store;
    const decoder = createDecoder();
    let text = "";
    for (let at = 0; at < parts.count; at++) {
      const part = await jetstream.last(this.#store.stream(this.#name), this.#subject(parts.id, String(at)));
      if (part === undefined) return undefined;
      text += decoder.decode(part.data, { stream: true });
    }
    return text + decoder.decode();
  }

  async remove(id: string): Promise<void> {
    await this.#store.jetstream.purge(this.#store.stream(this.#name), this.#subject(id, anyKey));
  }

  #subject(id: string, at: string | typeof anyKey): string {
    return this.#store.subject(this.#name, "part", id, at);
  }
}

function createDecoder(): TextDecoder {
  return new TextDecoder("utf-8", { ignoreBOM: true });
}

/** The id of the text that a message is a part of; the empty string if it is none. */
export function partIdOf(message: StoredMessage): string {
  return message.header(partHeader);
}

export function partsOf(message: StoredMessage): Parts | undefined {
  const [id, count] = message.header(partsHeader).split(".");
  return id && count ? { id, count: Number(count) } : undefined;
}

/** The bytes of a message of which only the headers were read. */
export function bytesOf(message: StoredMessage): number {
  return Number(message.header(bytesHeader) || message.header("Nats-Msg-Size"));
}
