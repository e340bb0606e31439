import type { Tap } from "../../contract/channel.ts";
import type { Pipe } from "../../contract/pipe.ts";
import type { Transport } from "../../contract/transport.ts";
import { maskText } from "../../lib/text/mask-text.ts";
import { wrapTransport } from "../wrap-transport.ts";
import { type MaskOptions, maskSecrets } from "./mask.ts";
import { type FetchFunction, recordExchange } from "./record-exchange.ts";
import { RecordedPipe } from "./recorded-pipe.ts";
import {
  encodeTranscript,
  type Side,
  type Transcript,
  type TranscriptEntry,
  toContent,
  type WireMessage,
} from "./transcript.ts";

export interface RecordOptions extends MaskOptions {
  /** The most characters that are kept; later entries are counted and left out. Default 64 Mi. */
  readonly maxChars?: number | undefined;
}

const defaultMaxChars = 64 * 1024 * 1024;

/** Starts a recording. Give it the wire: by one of its methods, at one of the two ends. */
export function record(options: RecordOptions = {}): Recording {
  return new Recording(options);
}

/** The wire of one or more connections, written down as it goes. Secrets are masked. */
export class Recording {
  readonly #options: RecordOptions;
  readonly #startedAt = new Date();
  readonly #start = performance.now();
  readonly #entries: TranscriptEntry[] = [];
  #transport: Transcript["transport"] = { kind: "unknown" };
  #connections = 0;
  #chars = 0;
  #leftOut = 0;

  constructor(options: RecordOptions) {
    this.#options = options;
  }

  get transcript(): Transcript {
    return {
      version: 1,
      startedAt: this.#startedAt.toISOString(),
      transport: this.#transport,
      entries: [...this.#entries],
      ...(this.#leftOut > 0 && { leftOut: this.#leftOut }),
    };
  }

  /** The transcript as JSON lines, for a file. */
  toText(): string {
    return encodeTranscript(this.transcript);
  }

  /** The `onMessage` of a client. */
  readonly onMessage = (message: WireMessage, direction: "sent" | "received"): void => {
    this.#add({ from: direction === "sent" ? "client" : "server", message });
  };

  /** The `onText` of a client: what is not a message is recorded as text. */
  readonly onText = (text: string, direction: "sent" | "received"): void => {
    this.#add({ from: direction === "sent" ? "client" : "server", ...toContent(text) });
  };

  /** A transport like this one, whose client is recorded. */
  transport(transport: Transport): Transport {
    return wrapTransport(transport, (opening) => {
      const add = this.#connect(transport.kind, transport.address);
      const tap: Tap = (text, direction) => {
        opening.tap?.(text, direction);
        add(direction === "sent" ? "client" : "server", text);
      };
      return { ...opening, tap };
    });
  }

  /** The end of a pipe at which a server is recorded: `servePipe(server, recording.pipe(pipe))`. */
  pipe(pipe: Pipe): Pipe {
    return new RecordedPipe(pipe, this.#connect(pipe.kind));
  }

  /** The `fetch` of a client, or the fetch handler of a server, whose requests and responses are recorded. */
  fetch(fetch: FetchFunction): FetchFunction {
    this.#connect("http");
    return (input, init) => recordExchange(fetch, new Request(input, init), (entry) => this.#add(entry));
  }

  /** Returns the function that adds texts of a new connection. */
  #connect(kind: string, address?: string): (from: Side, text: string) => void {
    this.#transport = { kind, ...(address !== undefined && { address: maskText(address) }) };
    const connection = ++this.#connections;
    return (from, text) => this.#add({ from, ...(connection > 1 && { connection }), ...toContent(text) });
  }

  #add(entry: Omit<TranscriptEntry, "at">): void {
    if (this.#leftOut > 0) {
      this.#leftOut++;
      return;
    }
    const masked = maskSecrets(entry, this.#options);
    const size = JSON.stringify(masked).length;
    if (this.#chars + size > (this.#options.maxChars ?? defaultMaxChars)) {
      this.#leftOut++;
      return;
    }
    this.#chars += size;
    const at = Math.round((performance.now() - this.#start) * 10) / 10;
    this.#entries.push({ at, ...masked });
  }
}
