import { KeyedMutex } from "../../../lib/async/mutex.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { isTerminal } from "../../../protocol/model/task.ts";
import { parseStoredObject } from "../../parse-stored.ts";
import type { TaskRoom } from "../../task-limits.ts";
import type {
  ClaimedTask,
  NewTask,
  StoredTask,
  TaskChange,
  TaskClaim,
  TaskPage,
  TaskStore,
} from "../../task-store.ts";
import { scan } from "../jetstream/scan.ts";
import { anyKey, lastKeyOf, type NatsStore } from "../jetstream/store.ts";
import { expiresHeader, type RecordChange, type Records } from "../records.ts";
import { KeptTasks } from "./kept-tasks.ts";
import { TaskChanges } from "./task-changes.ts";
import { TaskHolders } from "./task-holders.ts";
import { type QueueEntry, TaskQueue } from "./task-queue.ts";
import {
  answered,
  cancelled,
  claimed,
  expiryOfTask,
  newRecord,
  saved,
  type TaskRecord,
} from "./task-record.ts";

/**
 * Tasks: the record of each is the truth and changes in one step.
 *
 * Its places in the queue, in the list and among those of its holder are other messages, written before or after it.
 * A node that dies in between leaves a wrong place, which is found out and put right when it is next read.
 */
export class NatsTasks implements TaskStore {
  readonly #store: NatsStore;
  readonly #records: Records;
  readonly #queue: TaskQueue;
  readonly #holders: TaskHolders;
  readonly #kept: KeptTasks;
  readonly #room: TaskRoom;
  readonly #changes: TaskChanges;
  readonly #claiming = new KeyedMutex();

  constructor(records: Records, room: TaskRoom) {
    this.#store = records.store;
    this.#records = records;
    this.#queue = new TaskQueue(records.store);
    this.#holders = new TaskHolders(records, async (id) => {
      const task = await this.get(id);
      return task !== undefined && !isTerminal(task);
    });
    this.#kept = new KeptTasks(records.store);
    this.#room = room;
    this.#changes = new TaskChanges(records.store);
  }

  create(task: NewTask, maxOfHolder: number): Promise<StoredTask | undefined> {
    return this.#store.run(async () => {
      await this.#room.make(() => this.#kept.makeRoom(this.#room, (id) => this.#drop(id)));
      const { id, queue, lister } = task;
      const record = newRecord(copy(task), this.#store.clock.now());
      const expiresAt = expiryOfTask(record.task);
      if (!(await this.#holders.reserve(holderOf(task), id, { expiresAt, max: maxOfHolder })))
        return undefined;
      await Promise.all([
        this.#queue.put(queue, id, { leasedUntil: 0, expiresAt }),
        this.#store.jetstream.publish(this.#listSubject(lister, id), "", {
          headers: { [expiresHeader]: `${expiresAt}` },
        }),
        this.#kept.put(holderOf(task), id, { expiresAt, hasEnded: false }),
      ]);
      const isNew = await this.#records.writeIf(this.#subject(id), toChange(record), 0);
      if (isNew === undefined) throw new Error(`There is a task ${id} already.`);
      this.#changes.notify(id);
      return record.task;
    });
  }

  async get(id: string): Promise<StoredTask | undefined> {
    const record = await this.#records.read(this.#subject(id));
    return record && fromText(record.text).task;
  }

  async list(lister: string, limit: number, after = "0"): Promise<TaskPage | undefined> {
    if (!/^\d{1,15}$/.test(after)) return undefined;
    return this.#store.run(async () => {
      const found: { readonly task: StoredTask; readonly place: number }[] = [];
      let place = Number(after);
      while (found.length <= limit) {
        const page = await scan(this.#store.jetstream, this.#store.stream("state"), {
          subject: this.#listSubject(lister, anyKey),
          from: place + 1,
          limit: limit + 1 - found.length,
          headersOnly: true,
        });
        const last = page.at(-1);
        if (last === undefined) break;
        place = last.sequence;
        const tasks = await Promise.all(page.map(({ subject }) => this.get(lastKeyOf(subject))));
        for (const [at, task] of tasks.entries())
          if (task) found.push({ task, place: page[at]?.sequence ?? 0 });
        if (last.pending === 0) break;
      }
      const shown = found.slice(0, limit);
      const isLast = found.length <= limit;
      return { tasks: shown.map(({ task }) => task), next: isLast ? undefined : String(shown.at(-1)?.place) };
    });
  }

  claim(queue: string, leaseMs: number): Promise<ClaimedTask | undefined> {
    const take = (entry: QueueEntry) => this.#claim(queue, entry, leaseMs);
    return this.#claiming.run(queue, () => this.#store.run(() => this.#queue.first(queue, take)));
  }

  async save({ id, token }: TaskClaim, change: TaskChange): Promise<boolean> {
    const after = await this.#change(id, (record, now) => saved(record, token, copy(change), now));
    return after !== undefined;
  }

  async answer(id: string, answers: JsonObject): Promise<void> {
    await this.#change(id, (record, now) => answered(record, copy(answers), now));
  }

  async cancel(id: string): Promise<boolean> {
    return (await this.#change(id, cancelled)) !== undefined;
  }

  onChange(listener: (id: string) => void): () => void {
    return this.#changes.listen(listener);
  }

  /** Claims the task of an entry; undefined if it can't be claimed. A wrong entry is corrected. */
  async #claim(
    queue: string,
    { id, sequence }: QueueEntry,
    leaseMs: number,
  ): Promise<ClaimedTask | undefined> {
    const found = await this.#records.update<{ record: TaskRecord; isClaimed: boolean } | undefined>(
      this.#subject(id),
      (stored) => {
        if (stored === undefined) return { outcome: undefined };
        const record = fromText(stored.text);
        const next = claimed(record, leaseMs, this.#store.clock.now());
        if (next === undefined) return { outcome: { record, isClaimed: false } };
        return { change: toChange(next), outcome: { record: next, isClaimed: true } };
      },
    );
    if (found === undefined || found.record.task.status !== "working") return undefined;
    const { task, token, leasedUntil } = found.record;
    const entry = { leasedUntil, expiresAt: expiryOfTask(task) };
    await this.#queue.put(queue, id, found.isClaimed ? entry : { ...entry, expected: sequence });
    return found.isClaimed ? { id, token, task } : undefined;
  }

  /** Changes a task, and then its places; undefined if `apply` refuses. */
  async #change(
    id: string,
    apply: (record: TaskRecord, now: number) => TaskRecord | undefined,
  ): Promise<TaskRecord | undefined> {
    const outcome = await this.#records.update<Changed | undefined>(this.#subject(id), async (stored) => {
      if (stored === undefined) return { outcome: undefined };
      const before = fromText(stored.text);
      const after = apply(before, this.#store.clock.now());
      if (after === undefined) return { outcome: undefined };
      const place = await this.#preparePlace(before, after);
      return { change: toChange(after), outcome: { before, after, place } };
    });
    if (outcome === undefined) return undefined;
    const { before, after, place } = outcome;
    await this.#settlePlaces(before, after, place);
    if (after.task !== before.task || after.token !== before.token) this.#changes.notify(id);
    return after;
  }

  /** Puts a task that will wait again into the queue; finds the place of one that will not, before it changes. */
  async #preparePlace({ task: before }: TaskRecord, { task: after }: TaskRecord): Promise<number> {
    if (before.status === "working" && after.status !== "working")
      return this.#queue.placeOf(after.queue, after.id);
    if (before.status !== "working" && after.status === "working")
      await this.#queue.put(after.queue, after.id, { leasedUntil: 0, expiresAt: expiryOfTask(after) });
    return 0;
  }

  async #settlePlaces(before: TaskRecord, after: TaskRecord, place: number): Promise<void> {
    const { task } = after;
    const isGivenBack =
      task.status === "working" && before.task.status === "working" && after.token > before.token;
    await Promise.all([
      this.#queue.remove(place),
      isGivenBack && this.#queue.put(task.queue, task.id, { leasedUntil: 0, expiresAt: expiryOfTask(task) }),
      isTerminal(task) && this.#holders.release(holderOf(task), task.id),
      isTerminal(task) &&
        this.#kept.put(holderOf(task), task.id, { expiresAt: expiryOfTask(task), hasEnded: true }),
    ]);
  }

  /** Drops a task that has ended, and its place in the list. */
  async #drop(id: string): Promise<void> {
    const task = await this.get(id);
    if (task === undefined) return;
    await this.#records.remove(this.#subject(id));
    await this.#store.jetstream.purge(this.#store.stream("state"), this.#listSubject(task.lister, id));
  }

  #subject(id: string): string {
    return this.#store.subject("state", "task", id);
  }

  #listSubject(lister: string, id: string | typeof anyKey): string {
    return this.#store.subject("state", "list", lister, id);
  }
}

interface Changed {
  readonly before: TaskRecord;
  readonly after: TaskRecord;
  /** The place in the queue that it loses; 0 if it loses none. */
  readonly place: number;
}

function holderOf({ holder, owner }: NewTask): string {
  return holder ?? owner;
}

function toChange(record: TaskRecord): RecordChange {
  return { text: JSON.stringify(record), expiresAt: expiryOfTask(record.task) };
}

function fromText(text: string): TaskRecord {
  return parseStoredObject<TaskRecord>(text);
}

/** A copy that nobody else can change. */
function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
