import type { IncomingMessage } from "node:http";
import type { HolderSource } from "../../../../contract/caller/holder.ts";
import {
  type BodyLimits,
  type BodyText,
  bodyLost,
  bodyRefused,
  bodyTooLarge,
  bodyTooSlow,
  toBodyText,
  UnfinishedBody,
} from "../request/body-limits.ts";
import type { Wait } from "../shared-deadline.ts";

/** The state of a body that is arriving. */
interface Reading {
  readonly limits: BodyLimits;
  readonly caller: HolderSource;
  /** Undefined while nothing of the body has to wait. */
  unfinished: UnfinishedBody | undefined;
  readonly chunks: Buffer[];
  bytes: number;
  readonly receive: (body: BodyText) => void;
  readonly wait: Wait;
}

const reading: unique symbol = Symbol("reading");

/** The request that is being read. A stream may stay open for days after its request, so no listener holds the body. */
interface Arriving extends IncomingMessage {
  [reading]?: Reading | undefined;
}

/** Reads the body of a request that has not ended. */
export function readNodeBody(
  message: Arriving,
  limits: BodyLimits,
  caller: HolderSource,
  receive: (body: BodyText) => void,
): void {
  const wait = limits.bodyDeadline.start(() => finish(message, bodyTooSlow(limits)));
  message[reading] = { limits, caller, unfinished: undefined, chunks: [], bytes: 0, receive, wait };
  message.on("data", onData).on("end", onEnd).on("error", onLost).on("close", onLost);
}

function finish(message: Arriving, body: BodyText): void {
  const arrived = message[reading];
  if (arrived === undefined) return;
  message[reading] = undefined;
  arrived.wait.stop();
  arrived.unfinished?.release();
  arrived.receive(body);
}

// Data that comes after the body is settled is dropped, and errors are ignored.
function onData(this: Arriving, chunk: Buffer): void {
  const arriving = this[reading];
  if (arriving === undefined) return;
  arriving.bytes += chunk.length;
  arriving.chunks.push(chunk);
  if (arriving.bytes > arriving.limits.maxBodyBytes) finish(this, bodyTooLarge(arriving.limits));
  else if (arriving.bytes !== Number(this.headers["content-length"])) holdUnfinished(this, arriving);
}

/** Counts the bytes of a body whose rest has not come with them. */
function holdUnfinished(message: Arriving, arriving: Reading): void {
  const giveUp = () => finish(message, bodyRefused);
  arriving.unfinished ??= new UnfinishedBody(arriving.limits, arriving.caller, giveUp);
  if (!arriving.unfinished.hold(arriving.bytes)) giveUp();
}

function onEnd(this: Arriving): void {
  const arrived = this[reading];
  if (arrived) finish(this, toBodyText(join(arrived.chunks)));
}

function onLost(this: Arriving): void {
  finish(this, bodyLost);
}

function join(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first ? first : Buffer.concat(chunks);
}
