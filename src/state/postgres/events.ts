import { toLifetime } from "../sql/expiry.ts";
import { parseOffset } from "../sql/offset.ts";
import { fromStoredText, toStoredKey, toStoredText } from "../sql/stored-text.ts";
import { type EventStore, type StoredEvent, streamStart } from "../state.ts";
import type { StreamRoom } from "../stream-limits.ts";
import type { Changes } from "./changes.ts";
import type { Connection } from "./database/connection.ts";
import { toEventStatements } from "./event-statements.ts";

interface EventParts {
  readonly connection: Connection;
  readonly changes: Changes;
  readonly limits: StreamRoom;
}

/** Numbers that may be large come as texts. */
interface HeadRow {
  readonly last: string;
  readonly events: string;
  readonly bytes: string;
}

interface EventRow {
  readonly reached: boolean;
  readonly place: string | null;
  readonly text: string | null;
}

/** The share by which a stream may exceed its limits, so that it is seldom trimmed. */
const slack = 1.1;

export class PostgresEvents implements EventStore {
  readonly #connection: Connection;
  readonly #changes: Changes;
  readonly #limits: StreamRoom;
  readonly #statements: ReturnType<typeof toEventStatements>;

  constructor({ connection, changes, limits }: EventParts) {
    this.#connection = connection;
    this.#changes = changes;
    this.#limits = limits;
    this.#statements = toEventStatements(connection.schema);
  }

  async append(stream: string, texts: readonly string[], ttlMs: number): Promise<string> {
    if (texts.length === 0) return this.last(stream);
    const name = toStoredKey(stream);
    const stored = texts.map(toStoredText);
    const bytes = stored.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const { leastMs, mostMs } = toLifetime(ttlMs);
    const values = [name, stored, stored.length, bytes, leastMs, mostMs];
    const [head] = await this.#connection.query<HeadRow>("append", this.#statements.append, values);
    if (head === undefined) throw new Error("PostgreSQL returned nothing for a row that it wrote.");
    this.#changes.appended(name);
    if (this.#isTooLong(head)) await this.#trim(name);
    return head.last;
  }

  async after(stream: string, offset: string, limit?: number): Promise<readonly StoredEvent[] | undefined> {
    const place = parseOffset(offset);
    if (place === undefined) return undefined;
    const values = [toStoredKey(stream), place, limit ?? null];
    const rows = await this.#connection.query<EventRow>("after", this.#statements.after, values);
    const [first] = rows;
    if (first === undefined) return place === 0 ? [] : undefined;
    return first.reached ? rows.flatMap(toEvents) : undefined;
  }

  async holds(stream: string, offset: string): Promise<boolean> {
    const place = parseOffset(offset);
    if (place === undefined || offset === streamStart) return offset === streamStart;
    const values = [toStoredKey(stream), place];
    return (await this.#connection.query("holds", this.#statements.holds, values)).length > 0;
  }

  async last(stream: string): Promise<string> {
    const values = [toStoredKey(stream)];
    const [head] = await this.#connection.query<{ last: string }>("last", this.#statements.last, values);
    return head?.last ?? streamStart;
  }

  async remove(stream: string): Promise<void> {
    await this.#connection.query("remove-stream", this.#statements.remove, [toStoredKey(stream)]);
  }

  watch(stream: string, listener: () => void): () => void {
    return this.#changes.watchStream(toStoredKey(stream), listener);
  }

  #isTooLong({ events, bytes }: HeadRow): boolean {
    const { maxEvents, maxStreamBytes } = this.#limits;
    const isOver = Number(events) > maxEvents * slack || Number(bytes) > maxStreamBytes * slack;
    return isOver && Number(events) > 1;
  }

  async #trim(name: string): Promise<void> {
    const { maxEvents, maxStreamBytes } = this.#limits;
    try {
      await this.#connection.query("trim", this.#statements.trim, [
        name,
        Math.ceil(maxEvents),
        maxStreamBytes,
      ]);
    } catch {
      // The events are stored, which is what the caller wants to know; the next append trims.
    }
  }
}

function toEvents({ place, text }: EventRow): StoredEvent[] {
  return place === null || text === null ? [] : [{ offset: place, text: fromStoredText(text) }];
}
