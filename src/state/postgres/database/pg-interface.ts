import { UsageError } from "../../../errors.ts";
import { hasErrorCode } from "../../../lib/errno.ts";
import { endsWorkWithRequest } from "../../../lib/runtime.ts";

export interface PostgresQuery {
  /** The name under which the connection keeps the prepared statement. */
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
}

export interface PostgresResult {
  readonly rows: unknown[];
}

/** The part of a client of `pg` that we use. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>;
  on(event: "error" | "end", listener: (error?: Error) => void): unknown;
  on(event: "notification", listener: (message: { payload?: string | undefined }) => void): unknown;
  off(event: "error", listener: (error?: Error) => void): unknown;
  /** Lets the process end while this client is connected. */
  unref?(): void;
}

/** A client that is given back to its pool, or destroyed when there was an error. */
export interface PooledClient extends PostgresClient {
  release(error?: Error | boolean): void;
}

/** The part of a pool of `pg` that we use. */
export interface PostgresPool {
  readonly waitingCount: number;
  readonly options?: { readonly max?: number | undefined } | undefined;
  query(query: PostgresQuery): Promise<PostgresResult>;
  connect(): Promise<PooledClient>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
  end(): Promise<void>;
}

/** A pool of our own, with the end of those of its connections that do not end by themselves. */
export interface OwnPool {
  readonly pool: PostgresPool;
  cut(): void;
}

interface PoolSettings {
  readonly connectionString: string;
  readonly max: number;
  readonly connectionTimeoutMillis: number;
  readonly statement_timeout: number;
  readonly query_timeout: number;
  readonly idleTimeoutMillis: number;
  readonly allowExitOnIdle: boolean;
  readonly keepAlive: boolean;
  readonly application_name: string;
}

/** Makes a pool with the package `pg`, which is loaded only now. */
export async function createPool(settings: PoolSettings): Promise<OwnPool> {
  const { default: pg } = await import("pg").catch((error: unknown) => {
    if (!hasErrorCode(error, "ERR_MODULE_NOT_FOUND")) throw error;
    throw new UsageError("postgres() needs the package pg: npm install pg", { cause: error });
  });
  // A worker has sockets of its own kind, which end with their request.
  if (endsWorkWithRequest) return { pool: new pg.Pool(settings), cut: () => {} };
  const { Socket } = await import("node:net");
  const sockets = new Set<InstanceType<typeof Socket>>();
  const stream = () => {
    const socket = new Socket();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    return socket;
  };
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return { pool: new pg.Pool({ ...settings, stream }), cut };
}
