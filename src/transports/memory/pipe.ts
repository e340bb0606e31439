import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import { nextTurn } from "../../lib/async/yield-turn.ts";
import type { RpcNotification, RpcRequest } from "../../protocol/message.ts";

/** Notifications after which writers wait a turn: a handler that notifies endlessly could not be cancelled otherwise. */
const notificationsPerTurn = 1_000;

/** Creates the two ends of a pipe inside this process. */
export function createMemoryPipe(): readonly [Pipe, Pipe] {
  const left = new MemoryEnd();
  const right = new MemoryEnd();
  left.join(right);
  right.join(left);
  return [left, right];
}

/**
 * One end of an in-process pipe.
 *
 * It carries text, like every other pipe: values that are not JSON can't cross, and neither
 * side can modify the other's objects.
 */
class MemoryEnd implements Pipe {
  readonly kind = "memory";
  #other: MemoryEnd | undefined;
  #sink: PipeSink | undefined;
  #unread: string[] = [];
  #notifications = 0;
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
    if (message?.kind !== "notification" || ++this.#notifications < notificationsPerTurn) return;
    this.#turn ??= this.#waitATurn();
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

  async #waitATurn(): Promise<void> {
    await nextTurn();
    this.#notifications = 0;
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
