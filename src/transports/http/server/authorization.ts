import {
  type Authenticator,
  type AuthRefusal,
  MissingScopesError,
  type ServerAuth,
} from "../../../contract/http-auth.ts";
import type { Principal } from "../../../contract/principal.ts";

import type { Service } from "../../../contract/service.ts";
import { type RpcError, UsageError } from "../../../errors.ts";
import { memoryState } from "../../../state/memory/memory-state.ts";
import { sendError } from "./error-response.ts";
import type { HttpReply, HttpRequest, ResponseHeaders } from "./http-interface.ts";
import { type HttpOptions, toHttpSettings } from "./http-options.ts";

/** Somebody who was let in, and how to answer. */
interface Admitted {
  readonly principal: Principal;
  readonly reply: HttpReply;
}

const reportEveryMs = 10_000;

/** Puts authorization in front of everything that is served with these options. */
export function createHttpAuthorization(
  auth: ServerAuth,
  options: HttpOptions,
  service: Service,
): HttpAuthorization {
  if (options.identify) throw new UsageError("Give auth or identify: each says who calls.");
  const { path, sse } = toHttpSettings(options);
  const gate = auth.protect({
    publicUrl: options.publicUrl,
    endpoints: sse ? [[path], [sse.path, sse.messagesPath]] : [[path]],
    values: (options.state ?? memoryState()).values,
  });
  return new HttpAuthorization(gate, service);
}

/** Authorization in front of every route. */
export class HttpAuthorization {
  readonly #gate: Authenticator;
  readonly #service: Service;
  #reportAt = 0;

  constructor(gate: Authenticator, service: Service) {
    this.#gate = gate;
    this.#service = service;
  }

  /** Where anybody finds out who gives out tokens: JSON, by its path. */
  get documents(): ReadonlyMap<string, string> {
    return this.#gate.documents;
  }

  /** Who calls; answers itself when that is nobody who may. */
  async authorize(http: HttpRequest, reply: HttpReply): Promise<Admitted | undefined> {
    const verdict = await this.#gate.authenticate(http);
    if (verdict.ok) {
      const { principal, headers } = verdict;
      return { principal, reply: headers ? withHeaders(reply, headers) : reply };
    }
    const { status, headers, message, cause } = verdict.refusal;
    if (cause !== undefined) this.#report(cause);
    sendError(reply, status, message, headers);
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
  stepUp(principal: Principal | undefined, error: RpcError): AuthRefusal | undefined {
    if (!(error instanceof MissingScopesError) || principal === undefined) return undefined;
    return this.#gate.stepUp(principal, error.scopes);
  }
}

function withHeaders(reply: HttpReply, more: ResponseHeaders): HttpReply {
  return {
    send: (status, headers, body) => reply.send(status, { ...headers, ...more }, body),
    stream: (headers) => reply.stream({ ...headers, ...more }),
    onGone: (listener) => reply.onGone(listener),
  };
}
