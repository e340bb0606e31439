import type { Receiver } from "../contract/channel.ts";
import {
  CancelledError,
  CapabilityError,
  type ErrorObject,
  NotInRevisionError,
  RpcError,
} from "../errors.ts";
import { encodeFailure, encodeResponse, type RequestId, type RpcRequest } from "../protocol/message.ts";
import { methods } from "../protocol/method-table.ts";
import { invalidRequest, WireCode } from "../protocol/wire-error.ts";
import type { IncomingRequests, UnansweredRequest } from "./incoming-requests.ts";

/** An encoded response; undefined when nothing is sent. */
export type Reply = string | undefined;

/** Answers incoming requests: runs the receiver, and encodes its result or its error. */
export class Responder {
  readonly #requests: IncomingRequests;
  readonly #receiver: Receiver;
  readonly #hold: (() => () => void) | undefined;

  /** `hold` stops the idle deadlines of outgoing requests while an answer is worked on. */
  constructor(requests: IncomingRequests, receiver: Receiver, hold?: () => () => void) {
    this.#requests = requests;
    this.#receiver = receiver;
    this.#hold = hold;
  }

  /** Answers a request, which came in a text of this size. */
  answer(message: RpcRequest, size: number, relatedTo?: RequestId): Reply | Promise<Reply> {
    const request = this.#requests.begin(message, size, relatedTo) ?? this.#beginAnew(message);
    if (request === undefined)
      return refuseRequest(message.id, "A request with this id is still being answered.");
    try {
      const outcome = this.#receiver.onRequest(request);
      if (!(outcome instanceof Promise)) return this.#finish(request, outcome);
      const settled = this.#hold ? outcome.finally(this.#hold()) : outcome;
      return settled.then(
        (result) => this.#finish(request, result),
        (error: unknown) => this.#fail(request, error),
      );
    } catch (error) {
      return this.#fail(request, error);
    }
  }

  /** Takes a used id for `initialize`: the client that used it is gone, and the new one counts from the start. */
  #beginAnew(message: RpcRequest): UnansweredRequest | undefined {
    if (!methods.get(message.method)?.opens) return undefined;
    this.#requests.cancel(message.id, new CancelledError("The session ended with a new initialize."));
    return this.#requests.begin(message);
  }

  #finish(request: UnansweredRequest, result: unknown): Reply {
    this.#requests.end(request);
    if (request.cancelled) return undefined;
    try {
      return encodeResponse(request.id, result);
    } catch (error) {
      return this.#fail(request, error);
    }
  }

  #fail(request: UnansweredRequest, error: unknown): Reply {
    this.#requests.end(request);
    if (request.cancelled) return undefined;
    if (!(error instanceof RpcError)) this.#receiver.onProblem(toError(error));
    return encodeFailure(request.id, toWireError(error));
  }
}

/** The response to a request that may not be sent now. */
export function refuseRequest(id: RequestId, problem: string): string {
  return encodeFailure(id, invalidRequest(problem).toErrorObject());
}

/** The part of an error that the other side may see: errors that were not made for the wire are masked. */
function toWireError(error: unknown): ErrorObject {
  if (error instanceof RpcError) return error.toErrorObject();
  if (error instanceof CapabilityError || error instanceof NotInRevisionError) {
    return { code: WireCode.invalidRequest, message: error.message };
  }
  return { code: WireCode.internal, message: "Internal error" };
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}
