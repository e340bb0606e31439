/** One connection to a Redis server. One that has closed is never opened again. */
export interface RedisConnection {
  /** Sends a command; rejects when the server refuses it, or the connection is lost before the answer. */
  command(args: readonly string[]): Promise<unknown>;
  /** Lets the connection keep the process alive, or not. */
  hold(isHeld: boolean): void;
  /** Closes it at once; commands that wait for their answer are rejected. */
  close(): void;
}

/** A connection that can also listen to channels. It should do nothing else then. */
export interface ChannelConnection extends RedisConnection {
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
}

export interface ConnectionListeners {
  onMessage(channel: string, message: string): void;
  onClose(): void;
}

/** What a new connection is opened with. */
export interface OpeningOptions extends ConnectionListeners {
  /** Aborted when nobody waits for the connection any more. */
  readonly signal?: AbortSignal | undefined;
}

export type Open<Connection> = (options: OpeningOptions) => Promise<Connection>;

/** The connections of a state: one for commands, and one for the channels that it listens to. */
export interface RedisConnector {
  readonly openForCommands: Open<RedisConnection>;
  readonly openForChannels: Open<ChannelConnection>;
}

/** The time that a new connection has until it can be used. */
export const connectTimeoutMs = 2_000;

/** Waits until a connection can be used, and closes one that is late. */
export async function untilConnected(
  connecting: Promise<unknown>,
  connection: RedisConnection,
  signal: AbortSignal | undefined,
): Promise<void> {
  let isLate = false;
  const close = () => connection.close();
  signal?.addEventListener("abort", close);
  const timer = setTimeout(() => {
    isLate = true;
    connection.close();
  }, connectTimeoutMs);
  try {
    await connecting;
  } catch (cause) {
    if (!isLate) throw cause;
    const problem = `Redis has not answered within ${connectTimeoutMs / 1000} s`;
    const hint = "check its address, and that redis:// or rediss:// (with TLS) is what it speaks";
    throw new Error(`${problem}; ${hint}.`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", close);
  }
}
