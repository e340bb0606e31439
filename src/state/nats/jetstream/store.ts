import { createHash } from "node:crypto";
import { UsageError } from "../../../errors.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import { fromBase64url, toBase64url } from "../../../lib/encoding/base64.ts";
import type { Connection } from "./connection.ts";
import {
  isOverlap,
  isStreamNotFound,
  isWithoutResponders,
  JetStream,
  type StreamConfig,
} from "./jetstream.ts";
import { StoreClock } from "./store-clock.ts";

/** The oldest server with everything that is used: direct reads, and reads of the next message of a subject. */
const oldestVersion = [2, 9] as const;
/** The oldest server that changes a record only if it is what was read, also where it keeps copies on others. */
const oldestWithCopies = [2, 10] as const;

/** Attempts to make a stream that another node may be making, and the pause between them. */
const maxCreations = 10;
const creationPauseMs = 50;

/** The streams of a state. The queue has its own, which stays small, because it is searched with wildcards. */
export const streamNames = ["state", "events", "queue"] as const;
export type StreamName = (typeof streamNames)[number];

export interface StoreOptions {
  readonly prefix: string;
  readonly maxEvents: number;
  readonly maxStreamBytes: number;
  /** Undefined: as they are, or the default of a new stream. */
  readonly storage: "file" | "memory" | undefined;
  readonly replicas: number | undefined;
}

/** The streams of a state in NATS, made with the first use, and the clock of the server. */
export class NatsStore {
  readonly jetstream: JetStream;
  readonly clock: StoreClock;
  readonly options: StoreOptions;
  #preparing: Promise<void> | undefined;
  #maxPayload = 0;

  constructor(connection: Connection, options: StoreOptions) {
    this.jetstream = new JetStream(connection);
    this.options = options;
    this.clock = new StoreClock(this.jetstream, this.stream("state"), this.subject("state", "clock"));
  }

  stream(name: StreamName): string {
    return `${this.options.prefix}_${name}`;
  }

  /** The subject of a kind of messages, and of keys, which may be any strings. `*` stays a wildcard. */
  subject(name: StreamName, kind: string, ...keys: readonly (string | typeof anyKey)[]): string {
    return [
      this.options.prefix,
      name,
      kind,
      ...keys.map((key) => (key === anyKey ? "*" : toToken(key))),
    ].join(".");
  }

  /** The subject of hints, which no stream stores. */
  hintSubject(kind: string, key: string): string {
    return [this.options.prefix, "hint", kind, toToken(key)].join(".");
  }

  /** The longest message that the server takes, less some room for headers. */
  get maxMessageBytes(): number {
    return this.#maxPayload - 8 * 1024;
  }

  /** Does something once the streams are there. If somebody deleted them, the next call makes them again. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#preparing ??= this.#prepare();
    const preparing = this.#preparing;
    try {
      await preparing;
      return await work();
    } catch (error) {
      const isGone = isStreamNotFound(error) || isWithoutResponders(error);
      if (this.#preparing === preparing && (isGone || !(await isFulfilled(preparing))))
        this.#preparing = undefined;
      throw error;
    }
  }

  /** The settings of the streams, as the server has them. */
  configs(): Promise<StreamConfig[]> {
    return this.run(() => Promise.all(streamNames.map((name) => this.#configOf(this.stream(name)))));
  }

  async #prepare(): Promise<void> {
    const { version, maxPayload } = await this.jetstream.connection.info();
    assertVersion(version, oldestVersion, "The state in NATS");
    this.#maxPayload = maxPayload;
    const assertCopies = (copies: number) => {
      if (copies > 1) assertVersion(version, oldestWithCopies, "A state in NATS with replicas");
    };
    assertCopies(this.options.replicas ?? 1);
    const configs = await Promise.all(streamNames.map((name) => this.#ensure(name)));
    for (const { num_replicas } of configs) assertCopies(num_replicas);
    for (const config of configs)
      if (config.allow_direct && config.num_replicas === 1) this.jetstream.allowDirect(config.name);
    await this.clock.synchronize();
  }

  async #ensure(name: StreamName): Promise<StreamConfig> {
    const wanted = this.#toConfig(name);
    const found = await this.#findConfig(wanted.name);
    if (found === undefined) return this.#create(wanted);
    const { replicas = found.num_replicas } = this.options;
    const { max_msgs_per_subject } = wanted;
    if (found.max_msgs_per_subject === max_msgs_per_subject && found.num_replicas === replicas) return found;
    return this.#configure("UPDATE", { ...found, max_msgs_per_subject, num_replicas: replicas });
  }

  /** Makes a stream. While the server makes the same one for another node, it answers that their subjects overlap. */
  async #create(wanted: StreamConfig): Promise<StreamConfig> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.#configure("CREATE", wanted);
      } catch (error) {
        if (!isOverlap(error)) throw error;
        const made = await this.#findConfig(wanted.name);
        if (made) return made;
        if (attempt === maxCreations) throw error;
        await sleep(creationPauseMs);
      }
  }

  async #findConfig(stream: string): Promise<StreamConfig | undefined> {
    try {
      return await this.#configOf(stream);
    } catch (error) {
      if (isWithoutResponders(error)) throw withoutJetStream(error);
      if (!isStreamNotFound(error)) throw error;
      return undefined;
    }
  }

  async #configOf(stream: string): Promise<StreamConfig> {
    return ((await this.jetstream.api(`STREAM.INFO.${stream}`)) as { config: unknown })
      .config as StreamConfig;
  }

  async #configure(verb: "CREATE" | "UPDATE", config: StreamConfig): Promise<StreamConfig> {
    const { config: made } = await this.jetstream.api(`STREAM.${verb}.${config.name}`, { ...config });
    return made as StreamConfig;
  }

  #toConfig(name: StreamName): StreamConfig {
    const { prefix, maxEvents, storage = "file", replicas = 1 } = this.options;
    return {
      name: this.stream(name),
      subjects: [`${prefix}.${name}.>`],
      storage,
      num_replicas: replicas,
      max_msgs_per_subject: name === "events" ? maxEvents : 1,
      allow_direct: true,
      // A record that was dropped to make room may be a nonce that was spent; an event may be dropped.
      discard: name === "events" ? "old" : "new",
    };
  }
}

/** Stands for every key. */
export const anyKey: unique symbol = Symbol("any key");

/** The longest key in bytes that stands in a subject as it is. The server closes the connection that sends too long a subject. */
const maxKeyBytes = 1024;

/** A key as one token of a subject. In place of a long one stands its hash, which no other key can look like. */
function toToken(key: string): string {
  const bytes = new TextEncoder().encode(key);
  if (bytes.length <= maxKeyBytes) return `k${toBase64url(bytes)}`;
  return `h${createHash("sha256").update(bytes).digest("base64url")}`;
}

/** The last key of a subject, which is not a long one. */
export function lastKeyOf(subject: string): string {
  return new TextDecoder().decode(fromBase64url(subject.slice(subject.lastIndexOf(".") + 2)));
}

function assertVersion(version: string, oldest: readonly [number, number], what: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [needed, neededMinor] = oldest;
  if (major > needed || (major === needed && minor >= neededMinor)) return;
  throw new UsageError(`${what} needs nats-server ${oldest.join(".")} or newer; this one is ${version}.`);
}

function withoutJetStream(cause: unknown): UsageError {
  return new UsageError(
    "The NATS server has no JetStream; start it with -js, or with jetstream in its file.",
    { cause },
  );
}

function isFulfilled(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}
