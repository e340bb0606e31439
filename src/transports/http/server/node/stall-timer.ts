import type { ServerResponse } from "node:http";

/**
 * The `StallTimer` of node:http: cuts a reader off when nothing of what was written has left for `stallMs`.
 *
 * Only the socket's own timer sees that part of a long text has left; `writableLength` counts whole writes.
 */
export class NodeStallTimer {
  readonly #response: ServerResponse;
  readonly #stallMs: number;

  constructor(response: ServerResponse, stallMs: number) {
    this.#response = response;
    this.#stallMs = stallMs;
    response.on("timeout", () => response.destroy());
  }

  /** Starts the clock. node:http restarts it as long as bytes leave, and stops it when the answer is complete. */
  start(): void {
    this.#response.setTimeout(this.#stallMs);
  }

  stop(): void {
    this.#response.setTimeout(0);
  }
}
