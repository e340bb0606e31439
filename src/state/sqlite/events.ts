import { toLifetime } from "../sql/expiry.ts";
import { parseOffset } from "../sql/offset.ts";
import { fromStoredText, toStoredKey, toStoredText } from "../sql/stored-text.ts";
import { type EventStore, type StoredEvent, streamStart } from "../state.ts";
import type { StreamRoom } from "../stream-limits.ts";
import type { Changes } from "./changes.ts";
import type { Database } from "./database.ts";
import type { Sweeper } from "./sweeper.ts";

interface EventParts {
  readonly database: Database;
  readonly sweeper: Sweeper;
  readonly changes: Changes;
  readonly limits: StreamRoom;
}

interface StreamRow {
  readonly id: number;
  readonly last: number;
  readonly events: number;
  readonly bytes: number;
  readonly expires_ms: number;
}

export class SqliteEvents implements EventStore {
  readonly #database: Database;
  readonly #sweeper: Sweeper;
  readonly #changes: Changes;
  readonly #limits: StreamRoom;

  constructor({ database, sweeper, changes, limits }: EventParts) {
    this.#database = database;
    this.#sweeper = sweeper;
    this.#changes = changes;
    this.#limits = limits;
  }

  append(stream: string, texts: readonly string[], ttlMs: number): string {
    if (texts.length === 0) return this.last(stream);
    const name = toStoredKey(stream);
    const last = this.#database.transaction(() => this.#append(name, texts, ttlMs));
    this.#sweeper.added(texts.length);
    this.#changes.appended(name);
    return String(last);
  }

  after(stream: string, offset: string, limit?: number): readonly StoredEvent[] | undefined {
    const place = parseOffset(offset);
    const found = this.#find(toStoredKey(stream));
    if (place === undefined || place > (found?.last ?? 0)) return undefined;
    if (found === undefined) return [];
    const rows = this.#database.all<{ place: number; text: string }>(
      "SELECT place, text FROM events WHERE stream_id = ? AND place > ? ORDER BY place LIMIT ?",
      [found.id, place, limit ?? -1],
    );
    return rows.map((row) => ({ offset: String(row.place), text: fromStoredText(row.text) }));
  }

  holds(stream: string, offset: string): boolean {
    const place = parseOffset(offset);
    if (place === undefined || offset === streamStart) return offset === streamStart;
    const found = this.#find(toStoredKey(stream));
    if (found === undefined) return false;
    const sql = "SELECT 1 FROM events WHERE stream_id = ? AND place = ?";
    return this.#database.first(sql, [found.id, place]) !== undefined;
  }

  last(stream: string): string {
    const found = this.#find(toStoredKey(stream));
    return found ? String(found.last) : streamStart;
  }

  remove(stream: string): void {
    const name = toStoredKey(stream);
    this.#database.transaction(() => {
      const [gone] = this.#database.write<{ id: number }>("DELETE FROM streams WHERE name = ? RETURNING id", [
        name,
      ]);
      if (gone) this.#database.write("DELETE FROM events WHERE stream_id = ?", [gone.id]);
    });
  }

  watch(stream: string, listener: () => void): () => void {
    return this.#changes.watchStream(toStoredKey(stream), listener);
  }

  #find(name: string): StreamRow | undefined {
    return this.#database.first<StreamRow>(
      "SELECT id, last, events, bytes, expires_ms FROM streams WHERE name = ? AND expires_ms > ?",
      [name, Date.now()],
    );
  }

  #append(name: string, texts: readonly string[], ttlMs: number): number {
    const now = Date.now();
    const known = this.#find(name) ?? this.#begin(name);
    let { last, bytes } = known;
    for (const text of texts) {
      const size = Buffer.byteLength(text);
      bytes += size;
      const [added] = this.#database.write<{ place: number }>(
        "INSERT INTO events (stream_id, text, bytes) VALUES (?, ?, ?) RETURNING place",
        [known.id, toStoredText(text), size],
      );
      last = added?.place ?? last;
    }
    const trimmed = this.#trim({ ...known, events: known.events + texts.length, bytes });
    const { leastMs, mostMs } = toLifetime(ttlMs);
    const leftMs = known.expires_ms - now;
    const expiresMs = leftMs < leastMs || leftMs > mostMs ? now + mostMs : known.expires_ms;
    this.#database.write("UPDATE streams SET last = ?, events = ?, bytes = ?, expires_ms = ? WHERE id = ?", [
      last,
      trimmed.events,
      trimmed.bytes,
      expiresMs,
      known.id,
    ]);
    return last;
  }

  /** Starts a stream, also in place of one that has expired. */
  #begin(name: string): StreamRow {
    this.#database.write("DELETE FROM events WHERE stream_id = (SELECT id FROM streams WHERE name = ?)", [
      name,
    ]);
    const [row] = this.#database.write<StreamRow>(
      `INSERT INTO streams (name, last, events, bytes, expires_ms) VALUES (?, 0, 0, 0, 0)
       ON CONFLICT (name) DO UPDATE SET last = 0, events = 0, bytes = 0, expires_ms = 0
       RETURNING id, last, events, bytes, expires_ms`,
      [name],
    );
    if (row === undefined) throw new Error("SQLite returned nothing for a row that it wrote.");
    return row;
  }

  /** Drops the oldest events that are too many. The newest stays, however long it is: it may be the answer. */
  #trim({ id, events, bytes }: StreamRow): { readonly events: number; readonly bytes: number } {
    const { maxEvents, maxStreamBytes } = this.#limits;
    const left = { events, bytes };
    const isTooMuch = () => left.events > 1 && (left.events > maxEvents || left.bytes > maxStreamBytes);
    while (isTooMuch()) {
      const oldest = this.#database.all<{ place: number; bytes: number }>(
        "SELECT place, bytes FROM events WHERE stream_id = ? ORDER BY place LIMIT 100",
        [id],
      );
      let upTo = 0;
      for (const event of oldest) {
        if (!isTooMuch()) break;
        left.events--;
        left.bytes -= event.bytes;
        upTo = event.place;
      }
      this.#database.write("DELETE FROM events WHERE stream_id = ? AND place <= ?", [id, upTo]);
    }
    return left;
  }
}
