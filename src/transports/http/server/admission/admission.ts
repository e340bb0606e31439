import { readClientAddress } from "../../../../contract/caller/client-address.ts";
import { assertPrincipal, type Principal } from "../../../../contract/caller/principal.ts";
import { RpcError } from "../../../../errors.ts";
import type { CallLimits } from "../../../../guard/call-limits.ts";
import type { AttemptSource } from "../../../../guard/failed-attempts.ts";
import type { HostCheck } from "../../../../guard/host-check.ts";
import { andThen, attempt, type MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { isCanonicalLoopbackHost } from "../../../../lib/loopback.ts";
import { sendError, sendRpcError, toHttpStatus } from "../error-response.ts";
import type { HttpReply, HttpRequest } from "../http-interface.ts";
import type { HttpSettings } from "../http-options.ts";
import { type Accepts, readAccept } from "../request/accept.ts";
import type { HttpAuthorization } from "./authorization.ts";
import { isPreflight, refusedOriginHeaders } from "./cors.ts";
import type { RefusalLog } from "./refusal-log.ts";

/** One HTTP request that was let in. */
export interface AdmittedRequest {
  readonly http: HttpRequest;
  readonly reply: HttpReply;
  /** The media types in which the client can read an answer. */
  readonly accepts: Accepts;
  readonly principal: Principal | undefined;
  /** The address of the client, as far as it is known. */
  readonly address: string | undefined;
}

export interface AdmissionParts {
  readonly hosts: HostCheck;
  readonly authorization: HttpAuthorization | undefined;
  readonly limits: CallLimits | undefined;
  readonly settings: HttpSettings;
  readonly refusals: RefusalLog;
}

interface Identity {
  readonly principal: Principal | undefined;
  readonly reply: HttpReply;
}

const initialize = { method: "initialize", params: {} };

/** Lets requests in by their host and origin, then by their credentials. Answers those that it refuses. */
export class HttpAdmission {
  readonly #hosts: HostCheck;
  readonly #authorization: HttpAuthorization | undefined;
  readonly #limits: CallLimits | undefined;
  readonly #settings: HttpSettings;
  readonly #refusals: RefusalLog;
  #isProxyNoticed = false;

  constructor({ hosts, authorization, limits, settings, refusals }: AdmissionParts) {
    this.#hosts = hosts;
    this.#authorization = authorization;
    this.#limits = limits;
    this.#settings = settings;
    this.#refusals = refusals;
  }

  /** Refuses a host or an origin that is not allowed; returns whether it did. */
  refusesHost(http: HttpRequest, reply: HttpReply): boolean {
    // A monitor may know only the address of a server, and its health is no secret.
    const isHealth = http.path === this.#settings.healthPath;
    const byHost = isHealth ? undefined : this.#hosts.hostRefusal(http);
    const refusal = byHost ?? this.#hosts.originRefusal(http);
    if (refusal === undefined) return false;
    this.#refusals.add(byHost === undefined ? "origin" : "host", http, `was refused: ${refusal}`);
    if (byHost !== undefined || !this.#hosts.mayShowRefusal(http)) sendError(reply, 403, refusal);
    // Only the request after a preflight can show the reason.
    else if (isPreflight(http)) reply.send(204, refusedOriginHeaders(http));
    else sendError(reply, 403, refusal, { headers: refusedOriginHeaders(http) });
    return true;
  }

  /** Admits a request without credentials, for the routes that are public. */
  admitAnonymous(http: HttpRequest, reply: HttpReply): AdmittedRequest {
    return toAdmitted(http, reply, undefined, undefined);
  }

  /** Admits a request by its credentials; undefined when it was refused. A promise only where they are checked. */
  admit(http: HttpRequest, reply: HttpReply): MaybePromise<AdmittedRequest | undefined> {
    const { identify, trustProxy } = this.#settings;
    const address = readClientAddress(http, trustProxy);
    if (trustProxy === undefined) this.#noticeProxy(http, address);
    if (!this.#authorization && identify === undefined)
      return this.#unlessFlooding(toAdmitted(http, reply, undefined, address));
    const refusal = this.#limits?.failedAttempts?.refusal(this.#toSource(http, address));
    if (refusal === undefined) return this.#identify(http, reply, address);
    sendRpcError(reply, toHttpStatus(refusal), refusal);
    return undefined;
  }

  /** Checks the limits for a new two-way connection, which counts as one call; false when it was refused. */
  async mayConnect(admitted: AdmittedRequest): Promise<boolean> {
    const outcome = await this.#limits?.acquire(initialize, admitted);
    if (outcome === undefined) return true;
    if (outcome.ok) outcome.release();
    else sendRpcError(admitted.reply, toHttpStatus(outcome.error), outcome.error);
    return outcome.ok;
  }

  #identify(
    http: HttpRequest,
    reply: HttpReply,
    address: string | undefined,
  ): MaybePromise<AdmittedRequest | undefined> {
    return attempt(
      () => this.#findIdentity(http, reply),
      (identity) => {
        if (identity === undefined) return this.#recordFailure(http, address);
        return this.#unlessFlooding(toAdmitted(http, identity.reply, identity.principal, address));
      },
      (error) => {
        if (!(error instanceof RpcError)) throw error;
        this.#refusals.add("credentials", http, `was refused by identify: ${error.message}`);
        sendRpcError(reply, 403, error);
        return this.#recordFailure(http, address);
      },
    );
  }

  #recordFailure(http: HttpRequest, address: string | undefined): undefined {
    this.#limits?.failedAttempts?.record(this.#toSource(http, address));
  }

  /** The principal of a request, and the reply with the headers of its authorization; undefined when it was refused. */
  #findIdentity(http: HttpRequest, reply: HttpReply): MaybePromise<Identity | undefined> {
    if (this.#authorization) return this.#authorization.authorize(http, reply);
    return andThen(this.#settings.identify?.(http), (given) => ({
      principal: assertPrincipal(given),
      reply,
    }));
  }

  /** Refuses a caller that is far beyond its rate before anything of its request is read. */
  #unlessFlooding(admitted: AdmittedRequest): AdmittedRequest | undefined {
    const error = this.#limits?.floodError(admitted);
    if (error === undefined) return admitted;
    this.#limits?.reportUnreadRefusal(error, admitted.address);
    sendRpcError(admitted.reply, toHttpStatus(error), error, undefined);
    return undefined;
  }

  /** Logs, once, that a proxy on this machine hides the addresses of strangers: this machine itself has no limits. */
  #noticeProxy(http: HttpRequest, address: string | undefined): void {
    if (this.#isProxyNoticed || http.header("x-forwarded-for") === undefined) return;
    if (!this.#limits || !isCanonicalLoopbackHost(address ?? "")) return;
    this.#isProxyNoticed = true;
    this.#refusals.add("proxy", http, "came through a proxy, and has no limits; set trustProxy.");
  }

  /** The address, and what a proxy claims that is not trusted: the last address of the header is the one that it saw. */
  #toSource(http: HttpRequest, address: string | undefined): AttemptSource {
    const isUntrusted = this.#settings.trustProxy === undefined;
    const claimed = isUntrusted ? http.header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
    return { address, claimed };
  }
}

function toAdmitted(
  http: HttpRequest,
  reply: HttpReply,
  principal: Principal | undefined,
  address: string | undefined,
): AdmittedRequest {
  return { http, reply, accepts: readAccept(http.header("accept")), principal, address };
}
