import { UsageError } from "../../../errors.ts";
import { hasErrorCode } from "../../../lib/errno.ts";

/** The part of a connection of `@nats-io/transport-node` that is used. */
export interface NatsConnection {
  readonly info?: NatsServerInfo | undefined;
  publish(subject: string, payload?: Uint8Array | string, options?: NatsPublishOptions): void;
  request(
    subject: string,
    payload?: Uint8Array | string,
    options?: NatsPublishOptions & { timeout: number },
  ): Promise<NatsMessage>;
  subscribe(
    subject: string,
    options: { callback: (error: Error | null, message: NatsMessage) => void },
  ): NatsSubscription;
  status(): AsyncIterable<{ readonly type: string }>;
  isClosed(): boolean;
  close(): Promise<void>;
}

export interface NatsServerInfo {
  readonly version: string;
  readonly max_payload: number;
}

export interface NatsPublishOptions {
  reply?: string;
  headers?: NatsHeaders;
}

export interface NatsHeaders {
  readonly code: number;
  get(name: string): string;
  set(name: string, value: string): void;
}

export interface NatsMessage {
  readonly subject: string;
  readonly reply?: string | undefined;
  readonly data: Uint8Array;
  readonly headers?: NatsHeaders | undefined;
}

export interface NatsSubscription {
  unsubscribe(): void;
}

/** The exports of `@nats-io/transport-node` that are used. */
export interface NatsModule {
  connect(options: Readonly<Record<string, unknown>>): Promise<NatsConnection>;
  headers(): NatsHeaders;
}

/** Loads the client, which is an optional peer: only users of this state install it. */
export async function loadClient(): Promise<NatsModule> {
  try {
    const { connect, headers } = await import("@nats-io/transport-node");
    return { connect: (options) => connect(options), headers: () => headers() };
  } catch (cause) {
    if (!hasErrorCode(cause, "ERR_MODULE_NOT_FOUND")) throw cause;
    throw new UsageError(
      "The state in NATS needs the package @nats-io/transport-node; run: npm install @nats-io/transport-node",
      { cause },
    );
  }
}

export function isConnection(value: unknown): value is NatsConnection {
  if (typeof value !== "object" || value === null) return false;
  const members = ["publish", "request", "subscribe", "status", "isClosed", "close"] as const;
  return members.every((name) => typeof (value as Partial<NatsConnection>)[name] === "function");
}
