import type { HeaderRecord } from "../../../../contract/channel.ts";
import type { RequestId, RpcRequest } from "../../../../protocol/message.ts";
import { LightSignal } from "../light-signal.ts";

/** A request on its way; its connection is dropped when the answer is not wanted any more. */
export class OpenRequest {
  readonly id: RequestId;
  readonly method: string;
  /** The headers that the request brought along. */
  readonly headers: HeaderRecord | undefined;
  /** Aborted when the connection is dropped. */
  readonly dropping: LightSignal = new LightSignal();
  #isOver = false;
  #onSettled: (() => void) | undefined;

  constructor({ id, method }: RpcRequest, headers?: HeaderRecord) {
    this.id = id;
    this.method = method;
    this.headers = headers;
  }

  /** Waits until the request is over. One at a time may wait. */
  async untilSettled(): Promise<void> {
    if (this.#isOver) return;
    await new Promise<void>((resolve) => {
      this.#onSettled = resolve;
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get signal(): AbortSignal {
    return this.dropping.toAbortSignal();
  }

  settle(by: "answer" | "us"): void {
    this.#isOver = true;
    this.#onSettled?.();
    if (by === "us") this.drop();
  }

  /** Drops the connection. */
  drop(): void {
    this.dropping.abort();
  }
}
