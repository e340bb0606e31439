import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import { nextTurn } from "../../lib/yield-turn.ts";
import type { RpcNotification, RpcRequest } from "../../protocol/message.ts";

/** After so many notifications their writers wait a turn: one that told without end could never be cancelled. */
const noticesPerTurn = 1_000;

/** Two ends of one pipe inside this process. What is written at one end is read at the other. */
export function createMemoryPipe(): readonly [Pipe, Pipe] {
  const left = new MemoryEnd();
  const right = new MemoryEnd();
  left.join(right);
  right.join(left);
  return [left, right];
}

/**
 * Carries text, as every other pipe does: what is not JSON can't cross, and neither
 * side can reach into the other's objects.
 */
class MemoryEnd implements Pipe {
  readonly kind = "memory";
  #other: MemoryEnd | undefined;
  #sink: PipeSink | undefined;
  #unread: string[] = [];
  #notices = 0;
  #turn: Promise<void> | undefined;
  #closed = false;

  join(other: MemoryEnd): void {
    this.#other = other;
  }

  start(sink: PipeSink): void {
    this.#sink = sink;
    this.#schedule();
  }

  write(text: string, message?: RpcRequest | RpcNotification): void | Promise<void> {
    if (this.#closed) return;
    this.#other?.receive(text);
    if (message?.kind !== "notification" || ++this.#notices < noticesPerTurn) return;
    this.#turn ??= this.#waitForTurn();
    return this.#turn;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#sink?.onClose();
    await this.#other?.close();
  }

  receive(text: string): void {
    if (this.#closed) return;
    this.#unread.push(text);
    if (this.#unread.length === 1) this.#schedule();
  }

  async #waitForTurn(): Promise<void> {
    await nextTurn();
    this.#notices = 0;
    this.#turn = undefined;
  }

  /** Delivers later, never from inside the writer's call. */
  #schedule(): void {
    if (this.#sink === undefined || this.#unread.length === 0) return;
    queueMicrotask(() => {
      const texts = this.#unread;
      this.#unread = [];
      for (const text of texts) if (!this.#closed) this.#sink?.onText(text);
    });
  }
}
