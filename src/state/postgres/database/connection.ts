import { OverloadedError, UsageError } from "../../../errors.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import { settlesWithin } from "../../../lib/async/wait-at-most.ts";
import { hasErrorCode } from "../../../lib/errno.ts";
import { isMissing, migrate } from "./migrate.ts";
import { createPool, type PooledClient, type PostgresPool } from "./pg-interface.ts";

export interface ConnectionSettings {
  readonly schema: string;
  readonly maxConnections: number;
  readonly timeoutMs: number;
}

/** Statements that wait for a connection; more are refused, because their callers have given up before their turn. */
const maxWaiting = 1_000;
/** A serialization failure and a deadlock: nothing was done, and the next attempt succeeds. */
const retryable = ["40001", "40P01"];
/** The longest pause before such an attempt. */
const maxPauseMs = 50;
/** The time that statements have to end when the state is closed. */
const closeMs = 500;
const diskFull = "53100";

/** The connections to one database, made when they are first needed. */
export class Connection {
  readonly schema: string;
  readonly #target: string | PostgresPool;
  readonly #settings: ConnectionSettings;
  #opening: Promise<PostgresPool> | undefined;
  #migrating: Promise<void> | undefined;
  #isMigrated = false;
  #isClosed = false;
  /** Ends the connections that do not end by themselves. */
  #cut: () => void = () => {};

  constructor(target: string | PostgresPool, settings: ConnectionSettings) {
    this.#target = target;
    this.#settings = settings;
    this.schema = settings.schema;
  }

  /** True once a statement was run. */
  get isUsed(): boolean {
    return this.#isMigrated;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs a statement in a transaction of its own. `name` is that of the prepared statement. */
  async query<Row>(name: string, text: string, values: unknown[] = []): Promise<Row[]> {
    return this.#attempt(async (pool) => {
      const { rows } = await pool.query({ name: `${this.schema}.${name}`, text, values });
      return rows as Row[];
    });
  }

  /** Runs statements in one transaction, which begins with a lock that no other holds meanwhile. */
  async transaction<T>(lock: bigint, work: (client: PooledClient) => Promise<T>): Promise<T> {
    return this.#attempt(async (pool) => {
      return this.#withClient(pool, async (client) => {
        await client.query({
          text: `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(${lock})`,
        });
        const outcome = await work(client);
        await client.query({ text: "COMMIT" });
        return outcome;
      });
    });
  }

  /** A connection that stays with the caller until it is released. */
  async takeClient(): Promise<PooledClient> {
    const pool = await this.#open();
    return pool.connect();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const pool = await this.#opening?.catch(() => undefined);
    if (pool === undefined) return;
    if (typeof this.#target === "string") await this.#end(pool);
    pool.off("error", ignoreError);
  }

  /** Lets statements finish. A server that is slow, or is none of PostgreSQL, does not keep the process alive for longer. */
  async #end(pool: PostgresPool): Promise<void> {
    const ended = pool.end();
    if (await settlesWithin(closeMs, ended)) return;
    this.#cut();
    await ended;
  }

  async #attempt<T>(work: (pool: PostgresPool) => Promise<T>): Promise<T> {
    const until = performance.now() + this.#settings.timeoutMs;
    let isMadeAgain = false;
    for (let attempt = 1; ; attempt++) {
      const pool = await this.#open();
      try {
        if (!this.#isMigrated) await this.#migrate(pool);
        if (pool.waitingCount >= maxWaiting) throw tooManyWaiting();
        return await work(pool);
      } catch (error) {
        if (isMissing(error) && !isMadeAgain) {
          isMadeAgain = true;
          this.#isMigrated = false;
          continue;
        }
        if (hasErrorCode(error, diskFull)) throw withoutRoom(error);
        if (!hasErrorCode(error, ...retryable) || performance.now() > until) throw error;
        await sleep(Math.random() * Math.min(2 ** attempt, maxPauseMs));
      }
    }
  }

  async #open(): Promise<PostgresPool> {
    if (this.#isClosed) throw new UsageError("This state was closed; call postgres() again to go on.");
    this.#opening ??= this.#create();
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #create(): Promise<PostgresPool> {
    const { maxConnections, timeoutMs } = this.#settings;
    const given = this.#target;
    if (typeof given !== "string") {
      given.on("error", ignoreError);
      return given;
    }
    const { pool, cut } = await createPool({
      connectionString: given,
      // One more listens for the changes of other nodes.
      max: maxConnections + 1,
      connectionTimeoutMillis: timeoutMs,
      statement_timeout: timeoutMs,
      // The server cancels first, where it can.
      query_timeout: timeoutMs + 500,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
      keepAlive: true,
      application_name: "allspeak",
    });
    this.#cut = cut;
    pool.on("error", ignoreError);
    return pool;
  }

  /** Brings the schema up to date, once for all statements that wait for it. */
  async #migrate(pool: PostgresPool): Promise<void> {
    this.#migrating ??= this.#withClient(pool, (client) => migrate(client, this.schema));
    try {
      await this.#migrating;
      this.#isMigrated = true;
    } finally {
      this.#migrating = undefined;
    }
  }

  /** A connection that saw an error is destroyed, and the server rolls back. */
  async #withClient<T>(pool: PostgresPool, work: (client: PooledClient) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    // Between two statements nobody else notices that the connection broke; the next statement fails.
    client.on("error", ignoreError);
    try {
      const outcome = await work(client);
      client.off("error", ignoreError);
      client.release();
      return outcome;
    } catch (error) {
      client.release(error instanceof Error ? error : true);
      throw error;
    }
  }
}

/** A pool has replaced an idle connection that broke. The next statement fails, if there is anything to report. */
function ignoreError(): void {}

/** A server whose disk is full answers, and can be read. */
function withoutRoom(cause: unknown): OverloadedError {
  return new OverloadedError(
    "The disk of PostgreSQL is full: make room there, or let sessions, events and tasks expire earlier.",
    { cause },
  );
}

function tooManyWaiting(): OverloadedError {
  return new OverloadedError(
    `More than ${maxWaiting} statements wait for a connection to PostgreSQL; raise maxConnections.`,
  );
}
