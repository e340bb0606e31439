import type { ServerResponse } from "node:http";
import { type HolderSource, toHolder } from "../../../../contract/caller/holder.ts";
import type { FairBudget } from "../../../../lib/bounded/fair-budget.ts";
import { type EventSink, highWaterBytes, maxBufferedBytes } from "../http-interface.ts";
import type { BodyLimits } from "../request/body-limits.ts";
import type { UnreadOutput } from "../request/unfinished-budget.ts";

/** Connections that carry an event stream. */
const streaming = new WeakSet<object>();

export function isStreaming(socket: object): boolean {
  return streaming.has(socket);
}

/** A request that is answered, and what limits bytes of the answer that wait for their reader. */
export interface AnsweredRequest {
  readonly response: ServerResponse;
  /** The time after which a reader that takes nothing is cut. */
  readonly stallMs: number;
  /** Known once the request is let in. */
  readonly limits: BodyLimits | undefined;
  readonly caller: HolderSource | undefined;
}

/** An event stream over node:http. */
export class NodeEventSink implements EventSink {
  readonly #request: AnsweredRequest;
  #stallTimer: NodeStallTimer | undefined;
  #room: Promise<void> | undefined;

  constructor(request: AnsweredRequest) {
    const { socket } = request.response;
    this.#request = request;
    if (socket) streaming.add(socket);
  }

  get #response(): ServerResponse {
    return this.#request.response;
  }

  /** Starts the timer, which is made on first use: most readers never stall. */
  #limitStall(): void {
    this.#stallTimer ??= new NodeStallTimer(this.#request);
    this.#stallTimer.start();
  }

  get bufferedBytes(): number {
    return this.#response.writableLength;
  }

  write(text: string): void | Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return undefined;
    if (this.bufferedBytes > maxBufferedBytes) return void response.destroy();
    response.write(text);
    if (this.bufferedBytes <= highWaterBytes) return undefined;
    if (this.#room !== undefined) this.#stallTimer?.unread.hold();
    this.#room ??= this.#drained();
    return this.#room;
  }

  end(): void {
    const { socket } = this.#response;
    if (socket) streaming.delete(socket);
    this.#response.end();
    if (this.bufferedBytes > 0) this.#limitStall();
  }

  #drained(): Promise<void> {
    const response = this.#response;
    this.#limitStall();
    return new Promise((resolve) => {
      const done = () => {
        this.#room = undefined;
        response.off("drain", done);
        response.off("close", done);
        if (!response.writableEnded) this.#stallTimer?.stop();
        resolve();
      };
      response.once("drain", done);
      response.once("close", done);
    });
  }
}

/**
 * The `StallTimer` of node:http: cuts a reader off when nothing of what was written has left for `stallMs`.
 *
 * Only the socket's own timer sees that part of a long text has left; `writableLength` counts whole writes.
 */
export class NodeStallTimer {
  readonly #response: ServerResponse;
  readonly #stallMs: number;
  /** The bytes that wait meanwhile. */
  readonly unread: UnreadAnswer;

  constructor(request: AnsweredRequest) {
    const { response } = request;
    this.#response = response;
    this.#stallMs = request.stallMs;
    this.unread = new UnreadAnswer(request);
    response.on("timeout", () => response.destroy());
  }

  /** Starts the clock. node:http restarts it as long as bytes leave, and stops it when the answer is complete. */
  start(): void {
    this.#response.setTimeout(this.#stallMs);
    this.unread.hold();
  }

  stop(): void {
    this.#response.setTimeout(0);
    this.unread.release();
  }
}

/** The share that one answer takes of the room for answers that wait for their readers. */
class UnreadAnswer implements UnreadOutput {
  readonly #request: AnsweredRequest;
  readonly #response: ServerResponse;
  #budget: FairBudget<UnreadOutput> | undefined;

  constructor(request: AnsweredRequest) {
    this.#request = request;
    this.#response = request.response;
    this.#response.once("close", () => this.release());
  }

  /** Takes room for all bytes that wait now; without any, the connection is cut. */
  hold(): void {
    const { limits, caller } = this.#request;
    if (this.#budget) this.#weigh(this.#budget);
    else if (limits && caller)
      limits.unread.tryUse(
        (budget) => this.#add(budget, toHolder(caller)),
        () => this.giveUp(),
      );
  }

  release(): void {
    this.#budget?.remove(this);
    this.#budget = undefined;
  }

  /** An answer that waits for its turn on the connection is not destroyed before that: only its connection is. */
  giveUp(): void {
    this.#response.req.socket.destroy();
  }

  #add(budget: FairBudget<UnreadOutput>, holder: string): void {
    const { closed, destroyed, writableLength } = this.#response;
    if (closed || destroyed || writableLength === 0) return;
    this.#budget = budget;
    if (!budget.add(this, holder, writableLength)) this.#giveUpUnlessAlone(budget);
  }

  #weigh(budget: FairBudget<UnreadOutput>): void {
    if (!budget.resize(this, this.#response.writableLength)) this.#giveUpUnlessAlone(budget);
  }

  /** An answer that is larger than the whole room is sent while no other waits. */
  #giveUpUnlessAlone(budget: FairBudget<UnreadOutput>): void {
    this.release();
    if (budget.count > 0) this.giveUp();
  }
}
