import type { Principal } from "../../peer/call.ts";
import { ScopeRefusal } from "../../peer/scope-refusal.ts";
import type { Gate, Refusal, ServerAuth } from "../../peer/server-auth.ts";
import type { Service } from "../../peer/service.ts";
import { type RpcError, UsageError } from "../../protocol/errors.ts";
import { memoryState } from "../../state/memory.ts";
import type { Headers, HttpReply, HttpRequest } from "./exchange.ts";
import { type HttpOptions, toSettings } from "./http-options.ts";
import { refuse } from "./refuse.ts";

/** Somebody who was let in, and how to answer. */
interface Admitted {
  readonly principal: Principal;
  readonly reply: HttpReply;
}

const reportEveryMs = 10_000;

/** Puts authorization in front of everything that is served with these options. */
export function createGate(auth: ServerAuth, options: HttpOptions, service: Service): HttpGate {
  if (options.identify) throw new UsageError("Give auth or identify: each says who calls.");
  const { path, sse } = toSettings(options);
  const gate = auth.protect({
    publicUrl: options.publicUrl,
    endpoints: sse ? [[path], [sse.path, sse.messagesPath]] : [[path]],
    values: (options.state ?? memoryState()).values,
  });
  return new HttpGate(gate, service);
}

/** Authorization in front of every route. */
export class HttpGate {
  readonly #gate: Gate;
  readonly #service: Service;
  #reportAt = 0;

  constructor(gate: Gate, service: Service) {
    this.#gate = gate;
    this.#service = service;
  }

  /** Where anybody finds out who gives out tokens: JSON, by its path. */
  get documents(): ReadonlyMap<string, string> {
    return this.#gate.documents;
  }

  /** Who calls; answers itself when that is nobody who may. */
  async admit(http: HttpRequest, reply: HttpReply): Promise<Admitted | undefined> {
    const verdict = await this.#gate.check(http);
    if (verdict.ok) {
      const { principal, headers } = verdict;
      return { principal, reply: headers ? withHeaders(reply, headers) : reply };
    }
    const { status, headers, message, cause } = verdict.refusal;
    if (cause !== undefined) this.#report(cause);
    refuse(reply, status, message, headers);
    return undefined;
  }

  /** Once in a while: anybody can send what can't be checked, and must not fill the log. */
  #report(cause: unknown): void {
    const now = Date.now();
    if (now < this.#reportAt) return;
    this.#reportAt = now + reportEveryMs;
    this.#service.report("Credentials could not be checked", cause);
  }

  /** How a call is answered that lacks scopes; undefined for any other failure. */
  stepUp(principal: Principal | undefined, error: RpcError): Refusal | undefined {
    if (!(error instanceof ScopeRefusal) || principal === undefined) return undefined;
    return this.#gate.stepUp(principal, error.scopes);
  }
}

function withHeaders(reply: HttpReply, more: Headers): HttpReply {
  return {
    send: (status, headers, body) => reply.send(status, { ...headers, ...more }, body),
    stream: (headers) => reply.stream({ ...headers, ...more }),
    onGone: (listener) => reply.onGone(listener),
  };
}
