import type { Readable } from "node:stream";

export interface ServerEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly retry?: number;
  /** Set when the block held nothing but a comment. */
  readonly comment?: string;
}

/** Reads a stream of events one by one, by the rules of the HTML standard. */
export class EventReader {
  readonly #blocks: AsyncIterator<string>;
  readonly #body: Readable;
  readonly #onEvent: (event: ServerEvent) => void;

  constructor(body: Readable, onEvent: (event: ServerEvent) => void = () => {}) {
    this.#body = body;
    this.#onEvent = onEvent;
    this.#blocks = readBlocks(body);
  }

  /** The next event or comment; undefined at the end. */
  async next(): Promise<ServerEvent | undefined> {
    const { done, value } = await this.#blocks.next();
    if (done) return undefined;
    const event = toEvent(value);
    this.#onEvent(event);
    return event;
  }

  /** The next message, past comments and events without data. */
  async message<T = Record<string, unknown>>(): Promise<T | undefined> {
    for (let event = await this.next(); event; event = await this.next()) {
      if (event.data) return JSON.parse(event.data) as T;
    }
    return undefined;
  }

  /** Everything up to the end of the stream. */
  async rest(): Promise<ServerEvent[]> {
    const events: ServerEvent[] = [];
    for (let event = await this.next(); event; event = await this.next()) events.push(event);
    return events;
  }

  /** Messages up to the end of the stream. */
  async messages<T = Record<string, unknown>>(): Promise<T[]> {
    return (await this.rest()).filter(({ data }) => data).map(({ data }) => JSON.parse(data ?? "") as T);
  }

  /** Breaks the connection. */
  cut(): void {
    this.#body.destroy();
  }
}

async function* readBlocks(body: Readable): AsyncGenerator<string> {
  let text = "";
  try {
    for await (const chunk of body.setEncoding("utf8")) {
      text += chunk;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        yield text.slice(0, end);
        text = text.slice(end + 2);
      }
    }
  } catch {
    // A broken connection ends the stream; what matters is what came before.
  }
}

export function toEvent(block: string): ServerEvent {
  const event: Record<string, string | number> = {};
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === "") event.comment = value;
    else if (name === "data") event.data = event.data === undefined ? value : `${event.data}\n${value}`;
    else event[name] = name === "retry" ? Number(value) : value;
  }
  return event as ServerEvent;
}
