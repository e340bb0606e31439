/** The end of an IPC channel: `process`, a child process, or a worker of node:cluster. */
export interface IpcEnd {
  send?(message: unknown, callback?: (error: Error | null) => void): boolean;
  on(event: "message", listener: (message: unknown) => void): unknown;
  off(event: "message", listener: (message: unknown) => void): unknown;
}

/** Marks our messages: a program may send others over the same channel. */
interface Envelope<Message> {
  readonly allspeak: readonly Message[];
}

/** Messages over IPC; those of one turn are sent together. */
export class IpcChannel<Sent, Received> {
  readonly #end: IpcEnd;
  #waiting: Sent[] = [];
  #onSent: (() => void)[] = [];

  constructor(end: IpcEnd) {
    this.#end = end;
  }

  /** Sends a message; resolves when it has left this process, or could not: the process at the other end may be gone. */
  send(message: Sent): Promise<void> {
    if (this.#waiting.length === 0) queueMicrotask(() => this.#flush());
    this.#waiting.push(message);
    return new Promise((resolve) => this.#onSent.push(resolve));
  }

  onMessage(listener: (message: Received) => void): () => void {
    const onMessage = (message: unknown) => {
      if (isEnvelope<Received>(message)) message.allspeak.forEach(listener);
    };
    this.#end.on("message", onMessage);
    return () => void this.#end.off("message", onMessage);
  }

  #flush(): void {
    const allspeak = this.#waiting;
    const onSent = this.#onSent;
    this.#waiting = [];
    this.#onSent = [];
    const end = () => {
      for (const resolve of onSent) resolve();
    };
    try {
      if (this.#end.send) this.#end.send({ allspeak } satisfies Envelope<Sent>, end);
      else end();
    } catch {
      // The channel is closed, so that nobody waits for the message either.
      end();
    }
  }
}

function isEnvelope<Message>(message: unknown): message is Envelope<Message> {
  return typeof message === "object" && message !== null && "allspeak" in message;
}
