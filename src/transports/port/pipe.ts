import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import { ConnectionClosedError, UsageError } from "../../errors.ts";
import { listenToPort, type PortLike } from "./port-like.ts";

/** Posted last: many ports do not tell when the other end is closed. */
const farewell = "";

/**
 * One end of a message port.
 *
 * Messages are posted as text: a structured clone could carry what is not JSON, and
 * would be checked nowhere.
 */
export class PortPipe implements Pipe {
  readonly kind = "port";
  readonly #port: PortLike;
  #sink: PipeSink | undefined;
  #stopListening: (() => void) | undefined;
  #closed = false;

  constructor(port: PortLike) {
    // Whatever page or frame has a reference to a window may post to it.
    if ("document" in port) {
      throw new UsageError("A window hears every page; make a MessageChannel and post one port of it there.");
    }
    this.#port = port;
  }

  start(sink: PipeSink): void {
    this.#sink = sink;
    this.#stopListening = listenToPort(this.#port, {
      onMessage: (data) => this.#onMessage(data),
      onUnreadable: () => this.#sink?.onNoise("a message that could not be cloned"),
      onClose: () => this.#onGone(),
    });
    this.#port.start?.();
  }

  write(text: string): void | Promise<void> {
    if (this.#closed) return Promise.reject(new ConnectionClosedError("The port is closed."));
    this.#port.postMessage(text);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#port.postMessage(farewell);
    this.#end();
  }

  #onMessage(data: unknown): void {
    if (data === farewell) this.#onGone();
    else if (typeof data === "string") this.#sink?.onText(data);
    else this.#sink?.onNoise("a message that is not text");
  }

  #onGone(): void {
    this.#end(new ConnectionClosedError("The other end of the port was closed."));
  }

  #end(reason?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopListening?.();
    // Only ports are closed: a worker belongs to whoever started it, and its inside to itself.
    if (this.#port.start) this.#port.close?.();
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.onClose(reason);
  }
}
