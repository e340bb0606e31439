import {
  type ChannelConnection,
  connectTimeoutMs,
  type OpeningOptions,
  type RedisConnection,
  untilConnected,
} from "./connection.ts";

/** A client of the package `ioredis`. */
export interface IoredisClient {
  readonly status: string;
  readonly isCluster: boolean;
  readonly options: { readonly db?: number | undefined };
  call(command: string, ...args: string[]): Promise<unknown>;
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
  connect(): Promise<void>;
  disconnect(): void;
  duplicate(overrides?: object): IoredisClient;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(event: "message", listener: (channel: string, message: string) => void): unknown;
}

export type IoredisConstructor = new (url: string, options: object) => IoredisClient;

/** The socket of a client, which its types do not show. */
interface Socket {
  cork(): void;
  uncork(): void;
  ref(): void;
  unref(): void;
  destroy(): void;
}

/** Every command fails with its connection: one that is sent again might be done twice. */
const ownOptions = {
  lazyConnect: true,
  connectTimeout: connectTimeoutMs,
  keepAlive: 5_000,
  retryStrategy: () => null,
  enableOfflineQueue: false,
  enableReadyCheck: false,
  autoResubscribe: false,
  autoResendUnfulfilledCommands: false,
  connectionName: "allspeak",
};

export function isIoredisClient(client: object): client is IoredisClient {
  return "call" in client && typeof client.call === "function" && "duplicate" in client;
}

export function openIoredisUrl(
  Redis: IoredisConstructor,
  url: string,
  options: OpeningOptions,
): Promise<ChannelConnection> {
  return open(new Redis(url, ownOptions), options);
}

/** A connection of our own to the server of a client. */
export function openIoredisDuplicate(
  client: IoredisClient,
  options: OpeningOptions,
): Promise<ChannelConnection> {
  return open(client.duplicate({ ...ownOptions, keyPrefix: "" }), options);
}

/** A client that was handed in, as it is. */
export function fromIoredisClient(client: IoredisClient): RedisConnection {
  return {
    command: ([name = "", ...args]) => client.call(name, ...args),
    hold: () => {},
    close: () => {},
  };
}

async function open(client: IoredisClient, options: OpeningOptions): Promise<ChannelConnection> {
  let cause: unknown;
  client.on("error", (error) => {
    cause = error;
  });
  client.on("end", options.onClose);
  client.on("message", options.onMessage);
  const connection = new IoredisConnection(client);
  const connecting = client.connect().catch((error: unknown) => Promise.reject(cause ?? error));
  await untilConnected(connecting, connection, options.signal);
  // ioredis goes on in database 0 when the server does not have the one that it is told to use.
  if (client.options.db) await connection.command(["SELECT", `${client.options.db}`]);
  return connection;
}

class IoredisConnection implements ChannelConnection {
  readonly #client: IoredisClient;
  #isCorked = false;

  constructor(client: IoredisClient) {
    this.#client = client;
  }

  /** All commands of one turn go out in one write. */
  command([name = "", ...args]: readonly string[]): Promise<unknown> {
    const socket = this.#socket;
    if (socket && !this.#isCorked) {
      this.#isCorked = true;
      socket.cork();
      setImmediate(() => {
        this.#isCorked = false;
        socket.uncork();
      });
    }
    return this.#client.call(name, ...args);
  }

  subscribe(channel: string): Promise<unknown> {
    return this.#client.subscribe(channel);
  }

  unsubscribe(channel: string): Promise<unknown> {
    return this.#client.unsubscribe(channel);
  }

  hold(isHeld: boolean): void {
    if (isHeld) this.#socket?.ref();
    else this.#socket?.unref();
  }

  /** `disconnect` alone would wait for the server to close its side, too. */
  close(): void {
    const socket = this.#socket;
    this.#client.disconnect();
    socket?.destroy();
  }

  get #socket(): Socket | undefined {
    return (this.#client as { readonly stream?: Socket }).stream;
  }
}
