import { KeyedMutex } from "../../../lib/async/mutex.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { isTerminal } from "../../../protocol/model/task.ts";
import { unreadableEntry } from "../../parse-stored.ts";
import { ifReadable } from "../../readable/if-readable.ts";
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
import type { StoredMessage } from "../jetstream/stored-message.ts";
import { expiresHeader, type RecordChange, type Records, type StoredRecord } from "../records.ts";
import { KeptTasks } from "./kept-tasks.ts";
import { type ListedTask, toPage } from "./listed-task.ts";
import { TaskChanges } from "./task-changes.ts";
import { TaskHolders } from "./task-holders.ts";
import { type QueueEntry, TaskQueue } from "./task-queue.ts";
import {
  answered,
  cancelled,
  claimed,
  expiryOfTask,
  newRecord,
  readRecord,
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
      const record = await this.#records.read(this.#subject(id));
      // A task that can't be read counts as one that has not ended.
      const task = record && ifReadable(() => readRecord(record.text).task);
      return record !== undefined && !(task && isTerminal(task));
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
    return record && readRecord(record.text).task;
  }

  async list(lister: string, limit: number, after = "0"): Promise<TaskPage | undefined> {
    if (!/^\d{1,15}$/.test(after)) return undefined;
    return this.#store.run(async () => {
      const found: ListedTask[] = [];
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
        found.push(...(await Promise.all(page.map((message) => this.#readListed(message)))).flat());
        if (last.pending === 0) break;
      }
      return toPage(found, limit);
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

  /** The task of an entry in a list; none where it is gone. */
  async #readListed({ subject, sequence: place }: StoredMessage): Promise<ListedTask[]> {
    const id = lastKeyOf(subject);
    const record = await this.#records.read(this.#subject(id));
    return record ? [{ id, place, task: ifReadable(() => readRecord(record.text).task) }] : [];
  }

  /** Claims the task of an entry; undefined if it can't be claimed. A wrong entry is corrected. */
  async #claim(
    queue: string,
    { id, sequence }: QueueEntry,
    leaseMs: number,
  ): Promise<ClaimedTask | undefined> {
    const found = await this.#records.update<Claimable>(this.#subject(id), (stored) => {
      if (stored === undefined) return { outcome: undefined };
      const record = ifReadable(() => readRecord(stored.text));
      if (record === undefined) return { outcome: stored };
      const next = claimed(record, leaseMs, this.#store.clock.now());
      if (next === undefined) return { outcome: { record, isClaimed: false } };
      return { change: toChange(next), outcome: { record: next, isClaimed: true } };
    });
    if (found === undefined) return undefined;
    if ("text" in found) {
      const leasedUntil = this.#store.clock.now() + leaseMs;
      await this.#queue.put(queue, id, { leasedUntil, expiresAt: found.expiresAt, expected: sequence });
      throw unreadableEntry();
    }
    if (found.record.task.status !== "working") return undefined;
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
      const before = readRecord(stored.text);
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
    const record = await this.#records.read(this.#subject(id));
    if (record === undefined) return;
    const task = ifReadable(() => readRecord(record.text).task);
    await this.#records.remove(this.#subject(id));
    // A place in a list whose name is not known is swept when it expires.
    if (task)
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

/** A task that is claimed or can't be; the record of one that can't be read; undefined for one that is gone. */
type Claimable = { readonly record: TaskRecord; readonly isClaimed: boolean } | StoredRecord | undefined;

function holderOf({ holder, owner }: NewTask): string {
  return holder ?? owner;
}

function toChange(record: TaskRecord): RecordChange {
  return { text: JSON.stringify(record), expiresAt: expiryOfTask(record.task) };
}

/** A copy that nobody else can change. */
function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
