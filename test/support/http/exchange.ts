import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { EventReader } from "./event-reader.ts";
import { ExchangeCheck } from "./exchange-check.ts";

export interface Sent {
  readonly method?: string;
  /** A header that is undefined is left out; several values are sent as several headers. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** An object is sent as JSON. */
  readonly body?: string | Uint8Array | object;
  readonly signal?: AbortSignal;
  readonly agent?: Agent;
}

/** What came back for one HTTP request. */
export class Answer {
  readonly #message: IncomingMessage;
  readonly #check: ExchangeCheck;

  constructor(message: IncomingMessage, check: ExchangeCheck) {
    this.#message = message;
    this.#check = check;
    check.onHeaders(message.headers);
  }

  get status(): number {
    return this.#message.statusCode ?? 0;
  }

  get headers(): IncomingHttpHeaders {
    return this.#message.headers;
  }

  get type(): string | undefined {
    return this.headers["content-type"];
  }

  async text(): Promise<string> {
    const body = await text(this.#message);
    this.#check.onBody(this.type, body);
    return body;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  async json(): Promise<any> {
    return JSON.parse(await this.text());
  }

  /** The one message of the answer, whether it came as JSON or as the last event. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  async result(): Promise<any> {
    if (this.type !== "text/event-stream") return this.json();
    return (await this.events().messages()).at(-1);
  }

  events(): EventReader {
    return new EventReader(this.#message, (event) => this.#check.onEvent(event));
  }

  /** Reads nothing more. */
  get stream(): IncomingMessage {
    return this.#message;
  }

  cut(): void {
    this.#message.destroy();
  }
}

/** No connection is used twice unless a test says so. */
const single = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

/** Sends one HTTP request exactly as it is given. */
export function exchange(url: string, { body, signal, ...sent }: Sent = {}): Promise<Answer> {
  const bytes = toBytes(body);
  const given = Object.entries(sent.headers ?? {}).filter(([, value]) => value !== undefined);
  const headers = Object.fromEntries(given) as Record<string, string | string[]>;
  const isChunked = "transfer-encoding" in headers;
  const check = new ExchangeCheck(url, headers, body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method: sent.method ?? (bytes ? "POST" : "GET"),
        headers: { ...headers, ...(bytes && !isChunked && { "content-length": String(bytes.byteLength) }) },
        agent: sent.agent ?? single,
        ...(signal && { signal }),
      },
      (message) => {
        message.on("error", () => {});
        resolve(new Answer(message, check));
      },
    );
    outgoing.on("error", reject);
    outgoing.end(bytes);
  });
}

function toBytes(body: Sent["body"]): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
