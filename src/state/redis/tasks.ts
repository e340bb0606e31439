import { randomHex } from "../../lib/encoding/random-token.ts";
import type { JsonObject } from "../../lib/json.ts";
import { ifReadable } from "../readable/if-readable.ts";
import { type TaskRoom, tooManyTasks } from "../task-limits.ts";
import type {
  ClaimedTask,
  NewTask,
  StoredTask,
  TaskChange,
  TaskClaim,
  TaskPage,
  TaskStore,
} from "../task-store.ts";
import type { RedisClient } from "./client/redis-client.ts";
import type { Script } from "./client/script.ts";
import { toDuration } from "./duration.ts";
import { fromFields, toChangedFields, toNewFields, toPairs } from "./task-fields.ts";
import {
  answerScript,
  cancelScript,
  claimScript,
  createScript,
  getScript,
  listScript,
  saveScript,
} from "./task-scripts.ts";

/** Tasks in hashes of Redis. Every operation is one script, by the clock of the server. */
export class RedisTasks implements TaskStore {
  readonly #client: RedisClient;
  readonly #base: string;
  readonly #channel: string;
  readonly #room: TaskRoom;
  /** The name of this state in messages: its own changes are reported at once, and not again. */
  readonly #node = randomHex(8);
  readonly #listeners = new Set<(id: string) => void>();
  #unsubscribe: (() => void) | undefined;

  constructor(client: RedisClient, prefix: string, room: TaskRoom) {
    this.#client = client;
    this.#room = room;
    // The braces put all tasks into one slot of a cluster, since a script touches several.
    this.#base = `{${prefix}:tasks}`;
    this.#channel = `${prefix}:tasks`;
  }

  async create(task: NewTask, maxOfHolder: number): Promise<StoredTask | undefined> {
    const fields = toNewFields(task);
    const ttl = toDuration(task.ttlMs);
    const names = [task.id, task.queue, task.lister, task.holder ?? task.owner];
    const limits = [maxOfHolder, this.#room.maxEnded, this.#room.maxTasks].map(String);
    const createdAt = await this.#run(createScript, [...names, ttl, ...limits, ...fields]);
    if (createdAt === null) return undefined;
    if (createdAt === -1) throw new Error("There is a task with this id already.");
    if (createdAt === -2) throw tooManyTasks(this.#room.maxTasks);
    this.#notify(task.id);
    return fromFields([
      ...fields,
      "created",
      String(createdAt),
      "updated",
      String(createdAt),
      "status",
      "working",
    ]);
  }

  async get(id: string): Promise<StoredTask | undefined> {
    const fields = (await this.#run(getScript, [id])) as string[];
    return fields.length === 0 ? undefined : fromFields(fields);
  }

  async list(lister: string, limit: number, after?: string): Promise<TaskPage | undefined> {
    if (after !== undefined && !/^\d{1,16}$/.test(after)) return undefined;
    const reply = await this.#run(listScript, [lister, after ?? "0", String(limit)]);
    const [next, ...listed] = reply as [string, ...(string | string[])[]];
    const tasks: StoredTask[] = [];
    const unreadable: string[] = [];
    for (let at = 0; at < listed.length; at += 2) {
      const task = ifReadable(() => fromFields(listed[at + 1] as string[]));
      if (task) tasks.push(task);
      else unreadable.push(listed[at] as string);
    }
    return { tasks, next: next === "" ? undefined : next, ...(unreadable.length > 0 && { unreadable }) };
  }

  async claim(queue: string, leaseMs: number): Promise<ClaimedTask | undefined> {
    const reply = await this.#run(claimScript, [queue, toDuration(leaseMs)]);
    if (reply === null) return undefined;
    const [token, fields] = reply as [number, string[]];
    const task = fromFields(fields);
    return { id: task.id, token, task };
  }

  async save({ id, token }: TaskClaim, change: TaskChange): Promise<boolean> {
    const { leaseMs, asks, ended } = change;
    const fields = toChangedFields(change);
    const lease = leaseMs === undefined ? "" : leaseMs === 0 ? "0" : toDuration(leaseMs);
    const how = [lease, ended?.status ?? "", asks && !ended ? "1" : ""];
    const args = [id, String(token), ...how, String(fields.length), ...fields, ...toPairs(asks ?? {})];
    const outcome = await this.#run(saveScript, args);
    if (outcome === 2) this.#notify(id);
    return outcome !== 0;
  }

  async answer(id: string, answers: JsonObject): Promise<void> {
    if ((await this.#run(answerScript, [id, ...toPairs(answers)])) === 1) this.#notify(id);
  }

  async cancel(id: string): Promise<boolean> {
    const isCancelled = (await this.#run(cancelScript, [id])) === 1;
    if (isCancelled) this.#notify(id);
    return isCancelled;
  }

  onChange(listener: (id: string) => void): () => void {
    const own = (id: string) => listener(id);
    this.#listeners.add(own);
    this.#unsubscribe ??= this.#client.subscribe(this.#channel, (message) => this.#onMessage(message));
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    };
  }

  #run(script: Script, args: readonly string[]): Promise<unknown> {
    return this.#client.script(script, [this.#base], [this.#channel, this.#node, ...args]);
  }

  #onMessage(message: string | undefined): void {
    const [, node, id] = /^(\w+) (.*)$/s.exec(message ?? "") ?? [];
    if (id !== undefined && node !== this.#node) this.#notify(id);
  }

  #notify(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}
