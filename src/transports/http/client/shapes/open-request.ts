import type { HeaderRecord } from "../../../../contract/channel.ts";
import type { RequestId, RpcRequest } from "../../../../protocol/message.ts";

/** A request on its way; its connection is dropped when the answer is not wanted any more. */
export class OpenRequest {
  readonly id: RequestId;
  readonly method: string;
  /** The headers that the request brought along. */
  readonly headers: HeaderRecord | undefined;
  readonly settled: Promise<void>;
  readonly #controller = new AbortController();
  #isOver = false;
  #resolve: () => void = () => {};

  constructor({ id, method }: RpcRequest, headers?: HeaderRecord) {
    this.id = id;
    this.method = method;
    this.headers = headers;
    this.settled = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  settle(by: "answer" | "us"): void {
    this.#isOver = true;
    this.#resolve();
    if (by === "us") this.drop();
  }

  /** Drops the connection. */
  drop(): void {
    this.#controller.abort();
  }
}
