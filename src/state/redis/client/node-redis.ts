import { UsageError } from "../../../errors.ts";
import {
  type ChannelConnection,
  type ConnectionListeners,
  connectTimeoutMs,
  type OpeningOptions,
  type RedisConnection,
  untilConnected,
} from "./connection.ts";

/** A client of the package `redis`, version 5 or newer. */
export interface NodeRedisClient {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  readonly options?: { readonly socket?: object } | undefined;
  sendCommand(args: readonly string[], options?: object): Promise<unknown>;
  subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  connect(): Promise<unknown>;
  destroy(): void;
  duplicate(overrides?: object): NodeRedisClient;
  ref(): void;
  unref(): void;
  on(event: "error" | "end", listener: () => void): unknown;
}

export type CreateNodeRedisClient = (options: object) => NodeRedisClient;

/** Text is answered as text, however the client is configured. */
const textReplies = { typeMapping: undefined };

const ownSocket = {
  reconnectStrategy: false,
  connectTimeout: connectTimeoutMs,
  keepAliveInitialDelay: 5_000,
};

/** Every command fails with its connection: one that is sent again might be done twice. */
const ownOptions = {
  disableOfflineQueue: true,
  // One timer for each command would cost more than the command.
  commandOptions: { timeout: undefined },
  maintNotifications: "disabled",
  name: "allspeak",
};

export function isNodeRedisClient(client: object): client is NodeRedisClient {
  const isOfOneServer = "isReady" in client && "duplicate" in client && "ref" in client;
  return isOfOneServer && "sendCommand" in client && typeof client.sendCommand === "function";
}

export function openNodeRedisUrl(
  createClient: CreateNodeRedisClient,
  url: string,
  options: OpeningOptions,
): Promise<ChannelConnection> {
  return open(createClient({ ...ownOptions, url, socket: { ...ownSocket } }), options);
}

/** A connection of our own to the server of a client. */
export function openNodeRedisDuplicate(
  client: NodeRedisClient,
  options: OpeningOptions,
): Promise<ChannelConnection> {
  const socket = { ...client.options?.socket, ...ownSocket };
  return open(client.duplicate({ ...ownOptions, socket }), options);
}

/** A client that was handed in, as it is. Without a listener, its errors would end the process. */
export function fromNodeRedisClient(client: NodeRedisClient): RedisConnection {
  client.on("error", () => {});
  return {
    command: (args) => {
      if (client.isOpen) return client.sendCommand(args, textReplies);
      return Promise.reject(
        new UsageError("The client of redis() is not open: await client.connect() before it is used."),
      );
    },
    hold: () => {},
    close: () => {},
  };
}

async function open(client: NodeRedisClient, options: OpeningOptions): Promise<ChannelConnection> {
  const connection = new NodeRedisConnection(client, options);
  await untilConnected(client.connect(), connection, options.signal);
  return connection;
}

class NodeRedisConnection implements ChannelConnection {
  readonly #client: NodeRedisClient;
  readonly #onMessage: ConnectionListeners["onMessage"];

  constructor(client: NodeRedisClient, { onClose, onMessage }: ConnectionListeners) {
    this.#client = client;
    this.#onMessage = onMessage;
    client.on("error", () => this.close());
    client.on("error", onClose);
    client.on("end", onClose);
  }

  command(args: readonly string[]): Promise<unknown> {
    return this.#client.sendCommand(args, textReplies);
  }

  subscribe(channel: string): Promise<unknown> {
    return this.#client.subscribe(channel, (message) => this.#onMessage(channel, message));
  }

  unsubscribe(channel: string): Promise<unknown> {
    return this.#client.unsubscribe(channel);
  }

  hold(isHeld: boolean): void {
    if (isHeld) this.#client.ref();
    else this.#client.unref();
  }

  close(): void {
    if (this.#client.isOpen) this.#client.destroy();
  }
}
