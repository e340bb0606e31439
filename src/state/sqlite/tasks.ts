import type { JsonObject } from "../../lib/json.ts";
import { toTtl } from "../sql/expiry.ts";
import { toStoredKey } from "../sql/stored-text.ts";
import { takeAnswers } from "../sql/task-asks.ts";
import { parseCursor } from "../sql/task-cursor.ts";
import { type ListedRow, toTaskPage } from "../sql/task-page.ts";
import {
  type ClaimedRow,
  decodeJson,
  encodeJson,
  isRenewal,
  type TaskRow,
  taskColumns,
  toChangedColumns,
  toClaimedTask,
  toNewTaskColumns,
  toStoredTask,
} from "../sql/task-row.ts";
import type { TaskRoom } from "../task-limits.ts";
import type {
  ClaimedTask,
  NewTask,
  StoredTask,
  TaskChange,
  TaskClaim,
  TaskPage,
  TaskStore,
} from "../task-store.ts";
import type { Changes } from "./changes.ts";
import type { Database } from "./database.ts";
import type { Sweeper } from "./sweeper.ts";

interface TaskParts {
  readonly database: Database;
  readonly sweeper: Sweeper;
  readonly changes: Changes;
  readonly room: TaskRoom;
}

const open = "status IN ('working', 'input_required') AND expires_ms > $now";
const ended = "status NOT IN ('working', 'input_required') AND expires_ms > $now";
const claimable = "queue = $queue AND status = 'working' AND leased_until_ms <= $now AND expires_ms > $now";
const claimed = "id = $id AND token = $token AND status = 'working' AND expires_ms > $now";

export class SqliteTasks implements TaskStore {
  readonly #database: Database;
  readonly #sweeper: Sweeper;
  readonly #changes: Changes;
  readonly #room: TaskRoom;

  constructor({ database, sweeper, changes, room }: TaskParts) {
    this.#database = database;
    this.#sweeper = sweeper;
    this.#changes = changes;
    this.#room = room;
  }

  create(task: NewTask, maxOfHolder: number): StoredTask | undefined {
    if (this.#room.isLookDue()) this.#makeRoom();
    const columns = toNewTaskColumns(task);
    const row = this.#change(task.id, (tick, now) => {
      const ofHolder = this.#database.all(
        `SELECT 1 FROM tasks WHERE holder = $holder AND ${open} LIMIT $limit`,
        {
          holder: columns.holder,
          now,
          limit: Math.ceil(maxOfHolder),
        },
      );
      if (ofHolder.length >= maxOfHolder) return undefined;
      const [created] = this.#database.write<TaskRow>(
        `INSERT INTO tasks (id, queue, holder, lister, fixed, status, status_message, progress, record, asks, answers,
           token, leased_until_ms, waits_since, changed, created_us, updated_ms, expires_ms)
         VALUES ($id, $queue, $holder, $lister, $fixed, 'working', $statusMessage, $progress, $record, '{}', '{}',
           0, 0, $tick, $tick, $tick, $createdMs, $expiresMs)
         RETURNING ${taskColumns}`,
        { ...columns, tick, createdMs: Math.floor(tick / 1000), expiresMs: now + toTtl(task.ttlMs) },
      );
      return created;
    });
    this.#sweeper.added();
    return row && toStoredTask(row);
  }

  get(id: string): StoredTask | undefined {
    const row = this.#find(toStoredKey(id));
    return row && toStoredTask(row);
  }

  list(lister: string, limit: number, after?: string): TaskPage | undefined {
    const place = after === undefined ? { createdUs: -1, id: "" } : parseCursor(after);
    if (place === undefined) return undefined;
    const rows = this.#database.all<ListedRow>(
      `SELECT id, ${taskColumns} FROM tasks
       WHERE lister = $lister AND (created_us, id) > ($createdUs, $id) AND expires_ms > $now
       ORDER BY created_us, id LIMIT $limit`,
      { lister: toStoredKey(lister), ...place, now: Date.now(), limit: limit + 1 },
    );
    return toTaskPage(rows, limit);
  }

  claim(queue: string, leaseMs: number): ClaimedTask | undefined {
    const key = toStoredKey(queue);
    // Most looks find nothing, and so take no lock.
    if (this.#nextOf(key) === undefined) return undefined;
    const row = this.#database.transaction(() => {
      const id = this.#nextOf(key);
      if (id === undefined) return undefined;
      const { tick, now } = this.#tick();
      const [taken] = this.#database.write<ClaimedRow>(
        `UPDATE tasks SET token = token + 1, leased_until_ms = $until, waits_since = $tick WHERE id = $id
         RETURNING token, ${taskColumns}`,
        { id, tick, until: now + toTtl(leaseMs) },
      );
      return taken;
    });
    // Read when the claim is stored: a task that can't be read must not keep the queue from those after it.
    return row && toClaimedTask(row);
  }

  save(claim: TaskClaim, change: TaskChange): boolean {
    if (isRenewal(change)) return this.#renew(claim, change.leaseMs ?? 0);
    return this.#change(claim.id, (tick, now) => {
      const held = { id: toStoredKey(claim.id), token: claim.token, now };
      const found = this.#database.first<{ answers: string }>(
        `SELECT answers FROM tasks WHERE ${claimed}`,
        held,
      );
      if (found === undefined) return false;
      const columns = toChangedColumns(change, decodeJson(found.answers));
      this.#database.write(
        `UPDATE tasks SET
           status = coalesce($status, status), status_message = coalesce($statusMessage, status_message),
           progress = coalesce($progress, progress), record = coalesce($record, record),
           result = coalesce($result, result), error = coalesce($error, error), asks = coalesce($asks, asks),
           token = token + $released, waits_since = CASE WHEN $released THEN $tick ELSE waits_since END,
           leased_until_ms = CASE WHEN $released THEN 0 ELSE coalesce($until, leased_until_ms) END,
           changed = $tick, updated_ms = $now
         WHERE ${claimed}`,
        { ...held, ...columns, until: change.leaseMs ? now + toTtl(change.leaseMs) : null, tick },
      );
      return true;
    });
  }

  answer(id: string, answers: JsonObject): void {
    const key = toStoredKey(id);
    this.#change(id, (tick, now) => {
      const task = this.#find(key);
      if (task?.status !== "input_required") return false;
      const taken = takeAnswers({ asks: decodeJson(task.asks), answers: decodeJson(task.answers) }, answers);
      if (taken === undefined) return false;
      this.#database.write(
        `UPDATE tasks SET asks = $asks, answers = $answers, status = $status, waits_since = $tick, changed = $tick,
           updated_ms = $now WHERE id = $id`,
        {
          id: key,
          asks: encodeJson(taken.asks),
          answers: encodeJson(taken.answers),
          status: Object.keys(taken.asks).length === 0 ? "working" : "input_required",
          tick,
          now,
        },
      );
      return true;
    });
  }

  cancel(id: string): boolean {
    return this.#change(id, (tick, now) => {
      const changed = this.#database.write(
        `UPDATE tasks SET status = 'cancelled', asks = '{}', changed = $tick, updated_ms = $now WHERE id = $id AND ${open}
         RETURNING id`,
        { id: toStoredKey(id), tick, now },
      );
      return changed.length > 0;
    });
  }

  onChange(listener: (id: string) => void): () => void {
    return this.#changes.onTask(listener);
  }

  /** Drops those of each holder that ended longest ago, first of the holder with the most. */
  #makeRoom(): void {
    const now = Date.now();
    const { alive } = this.#database.first<{ alive: number }>(
      "SELECT count(*) AS alive FROM tasks WHERE expires_ms > $now",
      { now },
    ) ?? { alive: 0 };
    const gone = this.#database.write(
      `WITH ended AS MATERIALIZED (
         SELECT rowid AS row, changed, row_number() OVER (PARTITION BY holder ORDER BY changed DESC) AS place
         FROM tasks WHERE ${ended}
       )
       DELETE FROM tasks WHERE rowid IN (
         SELECT row FROM ended ORDER BY place DESC, changed
         LIMIT max($excess, (SELECT count(*) FROM ended WHERE place > $maxEnded))
       ) RETURNING 1`,
      { now, excess: Math.max(0, alive - this.#room.target), maxEnded: this.#room.maxEnded },
    );
    this.#room.assertRoom(alive - gone.length);
  }

  #renew({ id, token }: TaskClaim, leaseMs: number): boolean {
    const now = Date.now();
    const renewed = this.#database.write(
      `UPDATE tasks SET leased_until_ms = $until WHERE ${claimed} RETURNING id`,
      {
        id: toStoredKey(id),
        token,
        now,
        until: now + toTtl(leaseMs),
      },
    );
    return renewed.length > 0;
  }

  #find(key: string): TaskRow | undefined {
    return this.#database.first<TaskRow>(`SELECT ${taskColumns} FROM tasks WHERE id = ? AND expires_ms > ?`, [
      key,
      Date.now(),
    ]);
  }

  #nextOf(queue: string): string | undefined {
    return this.#database.first<{ id: string }>(
      `SELECT id FROM tasks WHERE ${claimable} ORDER BY waits_since LIMIT 1`,
      { queue, now: Date.now() },
    )?.id;
  }

  /** Makes a change of a task, and reports it if there was one. */
  #change<T>(id: string, change: (tick: number, now: number) => T): T {
    const { outcome, tick } = this.#database.transaction(() => {
      const taken = this.#tick();
      return { outcome: change(taken.tick, taken.now), tick: taken.tick };
    });
    if (outcome) this.#changes.taskChanged(id, tick);
    return outcome;
  }

  #tick(): { readonly tick: number; readonly now: number } {
    const now = Date.now();
    const [row] = this.#database.write<{ tick: number }>(
      "UPDATE clock SET tick = max(tick + 1, ?) RETURNING tick",
      [now * 1000],
    );
    return { tick: row?.tick ?? now * 1000, now };
  }
}
