import type { JsonObject } from "allspeak";
import type { MessageDirection } from "allspeak/client";

interface Seen {
  readonly message: JsonObject;
  readonly direction: MessageDirection;
}

type Predicate = (message: JsonObject) => boolean;

/** Everything that a client and its server said to each other, as it stood on the wire. */
export class Wire {
  #seen: Seen[] = [];
  #waiting: { readonly predicate: Predicate; readonly resolve: (message: JsonObject) => void }[] = [];

  /** The `onMessage` of a client. */
  readonly tap = (message: JsonObject | readonly unknown[], direction: MessageDirection): void => {
    for (const each of Array.isArray(message) ? message : [message]) this.#add(each as JsonObject, direction);
  };

  clear(): void {
    this.#seen = [];
  }

  get received(): readonly JsonObject[] {
    return this.#seen.filter(({ direction }) => direction === "received").map(({ message }) => message);
  }

  get sent(): readonly JsonObject[] {
    return this.#seen.filter(({ direction }) => direction === "sent").map(({ message }) => message);
  }

  /** The last request or notification of a method that the client sent. */
  lastSent(method: string): JsonObject {
    return found(
      this.sent.findLast((message) => message.method === method),
      method,
    );
  }

  /** The whole answer to the last request of a method. */
  answer(method: string): JsonObject {
    const { id } = this.lastSent(method);
    return found(
      this.received.find((message) => message.id === id && message.method === undefined),
      method,
    );
  }

  result(method: string): JsonObject {
    return this.answer(method).result as JsonObject;
  }

  error(method: string): JsonObject {
    return this.answer(method).error as JsonObject;
  }

  /** The params of every notification or request of a method that the server sent, be it in a result that asks. */
  told(method: string): readonly JsonObject[] {
    return this.received
      .flatMap((message) => [message, ...questionsIn(message)])
      .filter((message) => message.method === method)
      .map((message) => message.params as JsonObject);
  }

  /** The first message from the server that fits, whether it has arrived or will. */
  async arrival(method: string, fits: Predicate = () => true): Promise<JsonObject> {
    const predicate: Predicate = (message) => message.method === method && fits(message);
    return (
      this.received.find(predicate) ??
      new Promise<JsonObject>((resolve) => this.#waiting.push({ predicate, resolve }))
    );
  }

  #add(message: JsonObject, direction: MessageDirection): void {
    this.#seen.push({ message, direction });
    if (direction !== "received") return;
    const [ready, waiting] = partition(this.#waiting, ({ predicate }) => predicate(message));
    this.#waiting = waiting;
    for (const { resolve } of ready) resolve(message);
  }
}

function questionsIn({ result }: JsonObject): readonly JsonObject[] {
  const { inputRequests } = (result ?? {}) as { inputRequests?: Record<string, JsonObject> };
  return Object.values(inputRequests ?? {});
}

function found(message: JsonObject | undefined, method: string): JsonObject {
  if (message === undefined) throw new Error(`There is no ${method} on the wire.`);
  return message;
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
