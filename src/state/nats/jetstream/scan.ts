import { nextTurn } from "../../../lib/async/yield-turn.ts";
import { randomHex } from "../../../lib/encoding/random-token.ts";
import type { NatsMessage } from "./client.ts";
import type { JetStream } from "./jetstream.ts";
import { type DeliveredMessage, toDelivered } from "./stored-message.ts";

/** The time without a message after which a scan begins again. */
const stallMs = 1_000;
/** Scans that may stall before it is an error. */
const maxStalls = 5;
/**
 * The time that the server has to find a message, in nanoseconds. Without it the server never answers where all messages
 * were deleted after it had counted them.
 */
const expiresNs = 250_000_000;
/** The time after which the server deletes a consumer that nobody uses, in nanoseconds. */
const inactiveNs = 5_000_000_000;

export interface ScanOptions {
  /** May have wildcards. */
  readonly subject: string;
  /** The sequence of the first. */
  readonly from: number;
  readonly limit: number;
  readonly headersOnly?: boolean;
}

/** The messages of a stream whose subject matches, oldest first. */
export async function scan(
  jetstream: JetStream,
  stream: string,
  options: ScanOptions,
): Promise<DeliveredMessage[]> {
  const messages: DeliveredMessage[] = [];
  for (let stalls = 0; ; ) {
    const from = (messages.at(-1)?.sequence ?? options.from - 1) + 1;
    const limit = options.limit - messages.length;
    try {
      const found = await scanOnce(jetstream, stream, { ...options, from, limit });
      messages.push(...found.messages);
      if (found.isAll) return messages;
    } catch (error) {
      if (!(error instanceof StalledError) || ++stalls === maxStalls) throw error;
    }
  }
}

/** Some messages from a place on, and whether they are all that there are within the limit. */
interface Found {
  readonly messages: readonly DeliveredMessage[];
  readonly isAll: boolean;
}

/** Scans by one consumer that lives as long as the scan. */
async function scanOnce(
  jetstream: JetStream,
  stream: string,
  { subject, from, limit, headersOnly = false }: ScanOptions,
): Promise<Found> {
  const { connection } = jetstream;
  const config = {
    deliver_policy: "by_start_sequence",
    opt_start_seq: Math.max(1, from),
    filter_subject: subject,
    ack_policy: "none",
    replay_policy: "instant",
    inactive_threshold: inactiveNs,
    mem_storage: true,
    num_replicas: 1,
    ...(headersOnly && { headers_only: true }),
  };
  const { name, num_pending: pending } = await jetstream.api(`CONSUMER.CREATE.${stream}`, {
    stream_name: stream,
    config,
  });
  if (pending === 0) return { messages: [], isAll: true };
  const inbox = `_INBOX.allspeak.${randomHex(12)}`;
  const gathering = new Gathering(limit);
  const stop = connection.subscribe(inbox, (message) => gathering.add(message));
  try {
    // Ends with a status, so that messages that are deleted meanwhile are not waited for.
    const request = JSON.stringify({ batch: limit, no_wait: true, expires: expiresNs });
    const next = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${String(name)}`;
    const [found] = await Promise.all([gathering.done, connection.publish(next, request, inbox)]);
    return found;
  } finally {
    gathering.stop();
    stop();
    // The server deletes it by itself, too, when nobody has used it for a while.
    connection.publish(`$JS.API.CONSUMER.DELETE.${stream}.${String(name)}`, "").catch(() => {});
  }
}

interface HeaderScanOptions {
  readonly subject: string;
  readonly from?: number;
  readonly pageSize?: number;
}

/** All messages of a stream whose subject matches, oldest first, page by page; without their texts. */
export async function* scanHeaders(
  jetstream: JetStream,
  stream: string,
  { subject, from = 1, pageSize: limit = 2_000 }: HeaderScanOptions,
): AsyncGenerator<DeliveredMessage> {
  for (let next = from; ; ) {
    const page = await scan(jetstream, stream, { subject, from: next, limit, headersOnly: true });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || last.pending === 0) return;
    next = last.sequence + 1;
  }
}

class StalledError extends Error {}

/** The messages that have come so far. */
class Gathering {
  readonly done: Promise<Found>;
  readonly #messages: DeliveredMessage[] = [];
  readonly #limit: number;
  #settle: ((found: Found) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limit: number) {
    this.#limit = limit;
    this.done = new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#reject = reject;
    });
    this.#waitForNext();
  }

  add(message: NatsMessage): void {
    const messages = this.#messages;
    const delivered = toDelivered(message);
    if (delivered) messages.push(delivered);
    const isAll = messages.length >= this.#limit || delivered?.pending === 0;
    if (delivered && !isAll) return this.#waitForNext();
    this.stop();
    this.#settle?.({ messages, isAll });
  }

  /** Waits for no more messages. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #waitForNext(): void {
    clearTimeout(this.#timer);
    const seen = this.#messages.length;
    // A process that was busy for so long reads first what has come.
    const onStall = () => void nextTurn().then(() => this.#failIfStill(seen));
    this.#timer = setTimeout(onStall, stallMs);
  }

  #failIfStill(seen: number): void {
    if (this.#messages.length === seen)
      this.#reject?.(new StalledError("JetStream stopped in the middle of a scan."));
  }
}
