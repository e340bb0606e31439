import { decodeUtf8 } from "../../../protocol/parse.ts";
import type { BodyText, EventSink, Headers as HeaderMap, HttpReply, HttpRequest } from "../exchange.ts";

/** A request of the web platform. */
export class FetchRequest implements HttpRequest {
  readonly #request: Request;
  readonly path: string;
  readonly query: string;
  readonly #host: string;
  readonly address: string | undefined = undefined;

  constructor(request: Request) {
    this.#request = request;
    const url = new URL(request.url);
    this.path = url.pathname;
    this.query = url.search.slice(1);
    this.#host = url.host;
  }

  get method(): string {
    return this.#request.method;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name);
    if (value !== null) return value;
    // Some platforms keep the host to the URL.
    return name === "host" ? this.#host : undefined;
  }

  async readText(maxBytes: number): Promise<BodyText> {
    const tooLarge: BodyText = {
      ok: false,
      status: 413,
      problem: `The body is larger than ${maxBytes} bytes.`,
    };
    if (Number(this.header("content-length")) > maxBytes) return tooLarge;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of (this.#request.body ?? []) as AsyncIterable<Uint8Array>) {
        bytes += chunk.length;
        if (bytes > maxBytes) return tooLarge;
        chunks.push(chunk);
      }
    } catch {
      return { ok: false, status: 400, problem: "The body did not arrive whole." };
    }
    const text = decodeUtf8(join(chunks, bytes));
    if (text === undefined) return { ok: false, status: 400, problem: "The body is not valid UTF-8." };
    return { ok: true, text };
  }
}

function join(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first) return first;
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

const highWater = 64 * 1024;
const mostUnread = 1024 * 1024;

/** Makes the response of the web platform; `response` settles as soon as its status is known. */
export class FetchReply implements HttpReply {
  readonly response: Promise<Response>;
  readonly #gone: (() => void)[] = [];
  #resolve: (response: Response) => void = () => {};
  #finished = false;

  constructor(signal: AbortSignal) {
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    signal.addEventListener("abort", () => this.#onGone(), { once: true });
  }

  send(status: number, headers: HeaderMap, body?: string): void {
    this.#finished = true;
    const isEmpty = status === 204 || body === undefined;
    this.#resolve(new Response(isEmpty ? null : body, { status, headers }));
  }

  stream(headers: HeaderMap): EventSink {
    const sink = new FetchSink(
      () => this.#onGone(),
      () => {
        this.#finished = true;
      },
    );
    this.#resolve(new Response(sink.body, { status: 200, headers }));
    return sink;
  }

  onGone(listener: () => void): void {
    this.#gone.push(listener);
  }

  #onGone(): void {
    if (this.#finished) return;
    this.#finished = true;
    for (const listener of this.#gone) listener();
  }
}

const encoder = new TextEncoder();

class FetchSink implements EventSink {
  readonly body: ReadableStream<Uint8Array>;
  readonly #onEnd: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #room: Promise<void> | undefined;
  #makeRoom: () => void = () => {};
  #closed = false;

  constructor(onCancel: () => void, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#release(),
        cancel: () => {
          this.#closed = true;
          this.#release();
          onCancel();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: highWater }),
    );
  }

  write(text: string): void | Promise<void> {
    if (this.#closed || this.#controller === undefined) return undefined;
    this.#controller.enqueue(encoder.encode(text));
    const room = this.#controller.desiredSize ?? 0;
    if (room > 0) return undefined;
    if (-room > mostUnread) return this.cut();
    this.#room ??= new Promise((resolve) => {
      this.#makeRoom = resolve;
    });
    return this.#room;
  }

  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#onEnd();
    this.#controller?.close();
    this.#release();
  }

  cut(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#controller?.error(new Error("The reader was too slow."));
    this.#release();
  }

  #release(): void {
    this.#room = undefined;
    this.#makeRoom();
  }
}
