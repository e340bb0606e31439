import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import { ConnectionClosedError, UsageError } from "../../errors.ts";
import { defaultMaxMessageBytes } from "../../protocol/parse.ts";
import { listenToPort, type PortLike } from "./port-like.ts";

/** The last message of each end: many ports have no event for the close of the other end. */
const closeMarker = "";

/**
 * One end of a message port.
 *
 * Messages are posted as text: a structured clone could carry values that are not JSON, and
 * nothing would check it.
 */
export class PortPipe implements Pipe {
  readonly kind = "port";
  readonly #port: PortLike;
  #sink: PipeSink | undefined;
  #stopListening: (() => void) | undefined;
  #closed = false;

  constructor(port: PortLike) {
    // Every page or frame that has a reference to a window may post to it.
    if ("document" in port) {
      throw new UsageError(
        "A window receives messages of every page; make a MessageChannel and post one of its ports to the window.",
      );
    }
    this.#port = port;
  }

  start(sink: PipeSink): void {
    this.#sink = sink;
    this.#stopListening = listenToPort(this.#port, {
      onMessage: (data) => this.#onMessage(data),
      onUnreadable: () => this.#sink?.onStrayOutput("a message that could not be cloned"),
      onClose: () => this.#onOtherEndClosed(),
    });
    this.#port.start?.();
  }

  write(text: string): void | Promise<void> {
    if (this.#closed) return Promise.reject(new ConnectionClosedError("The port is closed."));
    this.#port.postMessage(text);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#port.postMessage(closeMarker);
    this.#end();
  }

  #onMessage(data: unknown): void {
    if (data === closeMarker) this.#onOtherEndClosed();
    else if (typeof data !== "string") this.#sink?.onStrayOutput("a message that is not text");
    else if (data.length > defaultMaxMessageBytes) this.#refuse();
    else this.#sink?.onText(data);
  }

  /** Closes both ends: a message that is not even looked at may be the answer that somebody waits for. */
  #refuse(): void {
    this.#port.postMessage(closeMarker);
    this.#end(new ConnectionClosedError(`A message is larger than ${defaultMaxMessageBytes} characters.`));
  }

  #onOtherEndClosed(): void {
    this.#end(new ConnectionClosedError("The other end of the port was closed."));
  }

  #end(reason?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopListening?.();
    // Only a MessagePort is closed: a worker belongs to the code that started it, and ends itself from inside.
    if (this.#port.start) this.#port.close?.();
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.onClose(reason);
  }
}
