import { createHash } from "node:crypto";
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
import type { Connection } from "./database/connection.ts";
import { toTaskStatements } from "./task-statements.ts";

interface TaskParts {
  readonly connection: Connection;
  readonly changes: Changes;
  readonly room: TaskRoom;
}

interface Numbered {
  readonly number: string;
}

interface AskingRow {
  readonly asks: string;
  readonly answers: string;
  readonly changes: string;
}

/** More tasks than anybody may have. */
const noLimit = 1e9;

export class PostgresTasks implements TaskStore {
  readonly #connection: Connection;
  readonly #changes: Changes;
  readonly #room: TaskRoom;
  readonly #statements: ReturnType<typeof toTaskStatements>;

  constructor({ connection, changes, room }: TaskParts) {
    this.#connection = connection;
    this.#changes = changes;
    this.#room = room;
    this.#statements = toTaskStatements(connection.schema);
  }

  async create(task: NewTask, maxOfHolder: number): Promise<StoredTask | undefined> {
    await this.#room.make(() => this.#makeRoom());
    const { id, queue, holder, lister, fixed, statusMessage, progress, record } = toNewTaskColumns(task);
    const max = Math.min(Math.ceil(maxOfHolder), noLimit);
    const values = [
      id,
      queue,
      holder,
      lister,
      fixed,
      statusMessage,
      progress,
      record,
      toTtl(task.ttlMs),
      max,
    ];
    const row = await this.#connection.transaction(this.#lockOf(holder), async (client) => {
      const { rows } = await client.query({ text: this.#statements.create, values });
      return rows[0] as (TaskRow & Numbered) | undefined;
    });
    if (row === undefined) return undefined;
    this.#changes.taskChanged(task.id, row.number);
    return toStoredTask(row);
  }

  async get(id: string): Promise<StoredTask | undefined> {
    const values = [toStoredKey(id)];
    const [row] = await this.#connection.query<TaskRow>("get-task", this.#statements.get, values);
    return row && toStoredTask(row);
  }

  async list(lister: string, limit: number, after?: string): Promise<TaskPage | undefined> {
    const place = after === undefined ? { createdUs: -1, id: "" } : parseCursor(after);
    if (place === undefined) return undefined;
    const values = [toStoredKey(lister), place.createdUs, place.id, limit + 1];
    const rows = await this.#connection.query<ListedRow>("list-tasks", this.#statements.list, values);
    return toTaskPage(rows, limit);
  }

  async claim(queue: string, leaseMs: number): Promise<ClaimedTask | undefined> {
    const values = [toStoredKey(queue), toTtl(leaseMs)];
    const [row] = await this.#connection.query<ClaimedRow>("claim-task", this.#statements.claim, values);
    return row && toClaimedTask(row);
  }

  async save(claim: TaskClaim, change: TaskChange): Promise<boolean> {
    const held = [toStoredKey(claim.id), claim.token];
    // Nobody changes the answers while a worker has the claim, so that they may be read before.
    const answers = change.asks && !change.ended ? await this.#answersOf(held) : {};
    if (answers === undefined) return false;
    const columns = toChangedColumns(change, answers);
    const [saved] = await this.#connection.query<Numbered>("save-task", this.#statements.save, [
      ...held,
      columns.status,
      columns.statusMessage,
      columns.progress,
      columns.record,
      columns.result,
      columns.error,
      columns.asks,
      columns.released === 1,
      change.leaseMs ? toTtl(change.leaseMs) : null,
      isRenewal(change),
    ]);
    if (saved && !isRenewal(change)) this.#changes.taskChanged(claim.id, saved.number);
    return saved !== undefined;
  }

  async answer(id: string, answers: JsonObject): Promise<void> {
    const key = toStoredKey(id);
    for (;;) {
      const [row] = await this.#connection.query<AskingRow>("asks-of-task", this.#statements.asks, [key]);
      const taken =
        row && takeAnswers({ asks: decodeJson(row.asks), answers: decodeJson(row.answers) }, answers);
      if (row === undefined || taken === undefined) return;
      const isAnswered = Object.keys(taken.asks).length === 0;
      const status = isAnswered ? "working" : "input_required";
      const values = [key, row.changes, encodeJson(taken.asks), encodeJson(taken.answers), status];
      const [saved] = await this.#connection.query<Numbered>("answer-task", this.#statements.answer, values);
      // If another has changed the task meanwhile, the answers are taken into what it is now.
      if (saved) return this.#changes.taskChanged(id, saved.number);
    }
  }

  async cancel(id: string): Promise<boolean> {
    const values = [toStoredKey(id)];
    const [ended] = await this.#connection.query<Numbered>("cancel-task", this.#statements.cancel, values);
    if (ended) this.#changes.taskChanged(id, ended.number);
    return ended !== undefined;
  }

  onChange(listener: (id: string) => void): () => void {
    return this.#changes.onTask(listener);
  }

  async #makeRoom(): Promise<number> {
    const values = [this.#room.target, this.#room.maxEnded];
    const [row] = await this.#connection.query<{ left: string }>(
      "make-room",
      this.#statements.makeRoom,
      values,
    );
    return Number(row?.left ?? 0);
  }

  async #answersOf(held: unknown[]): Promise<JsonObject | undefined> {
    const [row] = await this.#connection.query<{ answers: string }>(
      "answers-of-task",
      this.#statements.answers,
      held,
    );
    return row && decodeJson(row.answers);
  }

  /** The tasks of one holder are created one after another, so that they can be counted. */
  #lockOf(holder: string): bigint {
    return createHash("sha256").update(`${this.#connection.schema} ${holder}`).digest().readBigInt64BE();
  }
}
