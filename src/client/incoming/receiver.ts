import type { IncomingRequest, Receiver } from "../../contract/channel.ts";
import { observeReceived, type Telemetry } from "../../contract/telemetry.ts";
import { InvalidResponseError, RpcError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { toSentence } from "../../protocol/check/check.ts";
import type { RequestId } from "../../protocol/message.ts";
import { methods } from "../../protocol/method-table.ts";
import type { Revision } from "../../protocol/revision.ts";
import { invalidRequest, methodNotFound, WireCode } from "../../protocol/wire-error.ts";

import { type Report, toProblem } from "../report.ts";
import type { Asks } from "./asks.ts";
import type { Notifications } from "./notifications.ts";
import type { ReceivedTasks } from "./received-tasks.ts";

interface Agreed {
  readonly revision: Revision;
  readonly asks: Asks;
  /** Takes questions that come as tasks, if this client declares that. */
  readonly tasks?: ReceivedTasks | undefined;
}

/** Receives the requests and notifications of the server, problems of the connection, and its end. */
export class ClientReceiver implements Receiver {
  readonly closed: Promise<Error>;
  readonly #notifications: Notifications;
  readonly #report: Report;
  readonly #telemetry: Telemetry | undefined;
  #agreed: Agreed | undefined;
  #resolveClosed: (reason: Error) => void = () => {};

  constructor(notifications: Notifications, report: Report, telemetry?: Telemetry) {
    this.#notifications = notifications;
    this.#report = report;
    this.#telemetry = telemetry;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  get revision(): Revision | undefined {
    return this.#agreed?.revision;
  }

  /** From now on the server may ask. */
  agree(agreed: Agreed): void {
    this.#agreed = agreed;
  }

  onRequest({ id, method, params, signal, relatedTo }: IncomingRequest): unknown {
    if (this.#agreed === undefined) {
      if (methods.get(method)?.answersBeforeOpening) return {};
      throw invalidRequest(`${method} came before initialization; only ping may.`);
    }
    const { revision, asks, tasks } = this.#agreed;
    // The peer drops such a request; a transport without a peer may not.
    if (revision.asking === "rounds") throw methodNotFound(method);
    if (method === "ping") return {};
    const ask = { method, params, signal, relatedTo };
    const answer = () =>
      (tasks?.answer(ask) ?? asks.answer(ask)).catch((error: unknown) => {
        throw this.toRpcError(method, error, signal);
      });
    const request = { id, method, params, revision: revision.version };
    return this.#telemetry?.receive(request, answer) ?? answer();
  }

  onNotification(method: string, params: JsonObject, relatedTo?: RequestId): void {
    const problem = this.revision?.methods.get(method)?.params(params);
    const received = { method, params, revision: this.revision?.version };
    if (problem === undefined)
      void observeReceived(this.#telemetry, received, () =>
        this.#notifications.dispatch(method, params, relatedTo),
      );
    else this.#report(new InvalidResponseError(`Ignored ${method}: ${toSentence(problem)}`));
  }

  onProblem(problem: Error): void {
    this.#report(problem);
  }

  onReconnected(): void {
    void this.#notifications.reconnected();
  }

  onClose(reason: Error): void {
    this.#resolveClosed(reason);
  }

  /** Makes an error without details for the server; the host gets the details by its report. */
  toRpcError(method: string, error: unknown, signal: AbortSignal): RpcError {
    if (error instanceof RpcError) return error;
    // An error of a handler that was asked to stop is not a failure.
    if (!signal.aborted) this.#report(toProblem(error, `${method} handler`));
    return new RpcError(WireCode.internal, `The client could not answer ${method}.`);
  }
}
