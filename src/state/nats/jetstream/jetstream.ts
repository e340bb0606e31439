import { OverloadedError } from "../../../errors.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import type { NatsMessage } from "./client.ts";
import type { Connection } from "./connection.ts";
import { type StoredMessage, toStored, toStoredDirectly } from "./stored-message.ts";

/** The members of a stream's configuration that are used. */
export interface StreamConfig {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly storage: "file" | "memory";
  readonly num_replicas: number;
  readonly max_msgs_per_subject: number;
  readonly allow_direct: boolean;
  readonly discard: "old" | "new";
}

/** A refusal of JetStream; `code` is its `err_code`. */
class JetStreamError extends Error {
  readonly code: number;

  constructor(what: string, { err_code: code, description }: JsonObject) {
    super(`${what}: ${String(description)}`);
    this.name = "JetStreamError";
    this.code = Number(code);
  }
}

const codes = {
  streamNotFound: 10059,
  subjectsOverlap: 10065,
  noMessage: 10037,
  wrongLastSequence: 10071,
  messageDelete: 10057,
  noSequence: 10043,
  notAvailable: 10008,
  noResources: 10023,
  accountLimits: 10028,
  noStorage: 10047,
};

export function isStreamNotFound(error: unknown): boolean {
  return error instanceof JetStreamError && error.code === codes.streamNotFound;
}

export function isOverlap(error: unknown): boolean {
  return error instanceof JetStreamError && error.code === codes.subjectsOverlap;
}

export function isWithoutResponders(error: unknown): boolean {
  return error instanceof Error && /no responders/i.test(error.message);
}

/** Attempts to store a message that nobody receives, and the pause between them. */
const maxAttempts = 10;
const attemptPauseMs = 50;

export interface PublishOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The sequence of the last message of the subject. */
  readonly expected?: number | undefined;
  readonly attempts?: number;
}

/** The time after which a request is sent again: the server that had to answer it may be dead. */
const answerMs = 1_000;
/** Times that it is sent. A cluster that has lost a leader takes up to 7 seconds to choose another. */
const maxRequests = 10;

/** The requests of JetStream that a state needs. */
export class JetStream {
  readonly connection: Connection;
  /** The streams whose messages any of their servers may read: they have one server. */
  readonly #direct = new Set<string>();

  constructor(connection: Connection) {
    this.connection = connection;
  }

  allowDirect(stream: string): void {
    this.#direct.add(stream);
  }

  /** Stores a message; returns its sequence, or undefined if the last one of its subject is not the `expected` one. */
  async publish(
    subject: string,
    payload: Uint8Array | string,
    { headers = {}, expected, attempts = maxAttempts }: PublishOptions = {},
  ): Promise<number | undefined> {
    const expecting =
      expected === undefined ? {} : { "Nats-Expected-Last-Subject-Sequence": String(expected) };
    const answer = await this.#requestStored(subject, payload, {
      headers: { ...headers, ...expecting },
      attempts,
    });
    const { error, seq } = parse(answer);
    if (isObject(error)) {
      if (error.err_code === codes.wrongLastSequence) return undefined;
      throw toWriteError(new JetStreamError("JetStream stored nothing", error));
    }
    return Number(seq);
  }

  /** The last message of a subject. */
  last(stream: string, subject: string): Promise<StoredMessage | undefined> {
    return this.#get(stream, { last_by_subj: subject });
  }

  /** The first message from a sequence on whose subject matches. */
  next(stream: string, subject: string, from: number): Promise<StoredMessage | undefined> {
    return this.#get(stream, { next_by_subj: subject, seq: from });
  }

  /** Deletes one message; returns whether it was there. */
  async delete(stream: string, sequence: number): Promise<boolean> {
    const query = JSON.stringify({ seq: sequence, no_erase: true });
    const answer = parse(await this.connection.request(`$JS.API.STREAM.MSG.DELETE.${stream}`, query));
    if (!isObject(answer.error)) return answer.success === true;
    const { err_code: code } = answer.error;
    if (code === codes.noMessage || code === codes.noSequence || code === codes.messageDelete) return false;
    throw new JetStreamError("JetStream deleted nothing", answer.error);
  }

  /** Deletes the messages of a subject; with `before`, only those with a smaller sequence. */
  async purge(stream: string, subject: string, before?: number): Promise<void> {
    await this.api(`STREAM.PURGE.${stream}`, {
      filter: subject,
      ...(before !== undefined && { seq: before }),
    });
  }

  async api(name: string, params?: JsonObject): Promise<JsonObject> {
    const answer = await this.#ask(name, params);
    if (isObject(answer.error)) throw new JetStreamError(`JetStream refused ${name}`, answer.error);
    return answer;
  }

  /** Sends a message to be stored. Where nobody has received it, a server of a cluster does not know of the stream yet. */
  async #requestStored(
    subject: string,
    payload: Uint8Array | string,
    { headers, attempts }: Required<Omit<PublishOptions, "expected">>,
  ): Promise<NatsMessage> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.connection.request(subject, payload, { headers });
      } catch (error) {
        if (!isWithoutResponders(error) || attempt >= attempts) throw error;
        await sleep(attemptPauseMs);
      }
  }

  /** Asks for something that has the same outcome when it is asked twice. */
  async #ask(name: string, params?: JsonObject): Promise<JsonObject> {
    const payload = params === undefined ? "" : JSON.stringify(params);
    for (let attempt = 1; ; attempt++) {
      const answer = parse(await this.#requestAgain(`$JS.API.${name}`, payload));
      const isLater = isObject(answer.error) && answer.error.err_code === codes.notAvailable;
      if (!isLater || attempt === maxRequests) return answer;
      await sleep(answerMs);
    }
  }

  /** Sends a request until it is answered. In a cluster without a leader nobody does, and nobody refuses it either. */
  async #requestAgain(subject: string, payload: string): Promise<NatsMessage> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.connection.request(subject, payload, { timeoutMs: answerMs });
      } catch (cause) {
        if (!isTimeout(cause)) throw cause;
        if (attempt === maxRequests) throw withoutAnswer(subject, cause);
      }
  }

  /** Reads from the leader: a follower may not know of a write that was acknowledged. */
  async #get(stream: string, query: JsonObject): Promise<StoredMessage | undefined> {
    if (this.#direct.has(stream)) {
      const subject = `$JS.API.DIRECT.GET.${stream}`;
      return toStoredDirectly(await this.#requestAgain(subject, JSON.stringify(query)));
    }
    const answer = await this.#ask(`STREAM.MSG.GET.${stream}`, query);
    if (!isObject(answer.error)) return toStored(answer.message);
    if (answer.error.err_code === codes.noMessage) return undefined;
    throw new JetStreamError("JetStream read nothing", answer.error);
  }
}

/** A server without room answers, and can be read. */
function toWriteError(cause: JetStreamError): Error {
  const isFull = [codes.noResources, codes.accountLimits, codes.noStorage].includes(cause.code);
  if (!isFull && !/maximum \w+ exceeded/.test(cause.message)) return cause;
  return new OverloadedError(
    "NATS is full: raise the limits of JetStream, or let sessions, events and tasks expire earlier.",
    { cause },
  );
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

function withoutAnswer(subject: string, cause: unknown): Error {
  const seconds = (maxRequests * answerMs) / 1_000;
  return new Error(
    `NATS has not answered ${subject} within ${seconds} s; if it is a cluster, it may have no leader.`,
    { cause },
  );
}

function parse({ data }: NatsMessage): JsonObject {
  const answer: unknown = JSON.parse(new TextDecoder().decode(data));
  if (!isObject(answer)) throw new Error("NATS answered with something that is not of JetStream.");
  return answer;
}
