import {
  AuthorizationError,
  CallLostError,
  ConnectionClosedError,
  HttpError,
  InsufficientScopeError,
} from "../../../../errors.ts";
import { sleep } from "../../../../lib/async/sleep.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import type { Peer } from "../../../../peer/peer.ts";
import type { Revision } from "../../../../protocol/revision.ts";
import { RetryDelay, reconnectSpreadMs } from "./retry-delay.ts";

export interface RenewalParts {
  readonly peer: Peer;
  readonly closing: AbortSignal;
  revision(): Revision | undefined;
  isLost(): boolean;
  onProblem(problem: Error): void;
  onRenewed(): void;
}

const renewMs = 30_000;

/** Opens a new session for one that the server has forgotten. basic/transports#session-management (2025-11-25) */
export class SessionRenewal {
  readonly #parts: RenewalParts;
  #params: JsonObject | undefined;
  #running: Promise<void> | undefined;
  #restoring = false;

  constructor(parts: RenewalParts) {
    this.#parts = parts;
  }

  /** Remembers the params of `initialize`, to send them again. */
  remember(params: JsonObject): void {
    this.#params = params;
  }

  /** Makes one attempt for all callers. If it rejects, their requests were not sent. */
  async renew(): Promise<void> {
    this.#running ??= this.#initialize().finally(() => {
      this.#running = undefined;
    });
    try {
      await this.#running;
    } catch (error) {
      if (error instanceof HttpError || error instanceof ConnectionClosedError) throw error;
      // Trying again would only send the user to another login.
      if (error instanceof AuthorizationError || error instanceof InsufficientScopeError) throw error;
      const message = `The session was lost and could not be opened again: ${(error as Error).message}`;
      throw new CallLostError(message, { lost: "session", mayRetry: true }, { cause: error });
    }
  }

  /** Keeps trying, so that notifications come again even without a call. */
  async restore(): Promise<void> {
    if (this.#restoring || this.#parts.revision() === undefined) return;
    this.#restoring = true;
    const delay = new RetryDelay(reconnectSpreadMs);
    try {
      while (this.#parts.isLost()) {
        await sleep(delay.next(), this.#parts.closing);
        if (this.#parts.isLost()) await this.#try();
      }
    } catch (error) {
      // A refusal by status needs the host; the next call rejects with it.
      if (!this.#parts.closing.aborted) this.#parts.onProblem(error as Error);
    } finally {
      this.#restoring = false;
    }
  }

  async #try(): Promise<void> {
    try {
      await this.renew();
    } catch (error) {
      if (error instanceof CallLostError || (error instanceof HttpError && error.status >= 500)) return;
      throw error;
    }
  }

  async #initialize(): Promise<void> {
    const { peer, revision, onRenewed } = this.#parts;
    const version = revision()?.version;
    const params = { ...this.#params, protocolVersion: version };
    // Not in total: a user may have to log in first.
    const timeout = { idle: renewMs };
    const { protocolVersion } = await peer.request("initialize", params, { timeout });
    if (protocolVersion !== version) {
      // The revision was agreed on for this connection, so the connection ends.
      const gone = new ConnectionClosedError(
        `The server came back in another revision (${JSON.stringify(protocolVersion)}); connect again.`,
      );
      peer.onClose(gone);
      throw gone;
    }
    await peer.notify("notifications/initialized", {});
    onRenewed();
  }
}
