import { StallTimer } from "../../../../lib/async/stall-timer.ts";
import {
  type EventSink,
  type HttpReply,
  highWaterBytes,
  maxBufferedBytes,
  type ResponseHeaders,
} from "../http-interface.ts";

/** The status that servers log for a client that closed the connection before its answer. */
const clientGone = 499;

/** A reply that becomes a `Response`; `response` settles as soon as its status is known. */
export class FetchReply implements HttpReply {
  readonly response: Promise<Response>;
  readonly #gone: (() => void)[] = [];
  readonly #stallMs: number;
  #resolve: (response: Response) => void = () => {};
  #sink: FetchSink | undefined;
  #finished = false;

  constructor(signal: AbortSignal, stallMs: number) {
    this.#stallMs = stallMs;
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (signal.aborted) queueMicrotask(() => this.#onGone());
    else signal.addEventListener("abort", () => this.#onGone(), { once: true });
  }

  send(status: number, headers: ResponseHeaders, body?: string): void {
    if (this.#sink) return this.#sink.cut();
    this.#finished = true;
    const isEmpty = status === 204 || body === undefined;
    this.#resolve(new Response(isEmpty ? null : body, { status, headers }));
  }

  stream(headers: ResponseHeaders): EventSink {
    const sink = new FetchSink(this.#stallMs, (how) => {
      if (how === "cut") this.#onGone();
      this.#finished = true;
    });
    this.#sink = sink;
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
    // The client does not read it, but the platform may still wait for a response.
    this.#resolve(new Response(null, { status: clientGone }));
  }
}

const encoder = new TextEncoder();

class FetchSink implements EventSink {
  readonly body: ReadableStream<Uint8Array>;
  readonly #stallMs: number;
  readonly #onClosed: (how: "ended" | "cut") => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #room: Promise<void> | undefined;
  #makeRoom: () => void = () => {};
  #stallTimer: StallTimer | undefined;
  #closed = false;

  constructor(stallMs: number, onClosed: (how: "ended" | "cut") => void) {
    this.#stallMs = stallMs;
    this.#onClosed = onClosed;
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#release(),
      cancel: () => this.#close("cut"),
    };
    this.body = new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: highWaterBytes }));
  }

  get bufferedBytes(): number {
    return highWaterBytes - (this.#controller?.desiredSize ?? highWaterBytes);
  }

  write(text: string): void | Promise<void> {
    const controller = this.#controller;
    if (this.#closed || controller === undefined) return undefined;
    if (this.bufferedBytes > maxBufferedBytes) return this.cut();
    controller.enqueue(encoder.encode(text));
    if (this.bufferedBytes < highWaterBytes) return undefined;
    this.#limitStall();
    this.#room ??= new Promise((resolve) => {
      this.#makeRoom = resolve;
    });
    return this.#room;
  }

  end(): void {
    if (this.#closed) return;
    this.#controller?.close();
    const unread = this.bufferedBytes;
    this.#close("ended");
    if (unread > 0) this.#limitStall();
  }

  cut(): void {
    this.#controller?.error(new Error("The reader was too slow."));
    this.#close("cut");
  }

  #close(how: "ended" | "cut"): void {
    this.#release();
    if (this.#closed) return;
    this.#closed = true;
    this.#onClosed(how);
  }

  /** Starts the timer, which is made on first use: most readers never stall. */
  #limitStall(): void {
    this.#stallTimer ??= new StallTimer({
      stallMs: this.#stallMs,
      unread: () => this.bufferedBytes,
      onStall: () => this.cut(),
    });
    this.#stallTimer.start();
  }

  #release(): void {
    if (!this.#closed) this.#stallTimer?.stop();
    this.#room = undefined;
    this.#makeRoom();
  }
}
