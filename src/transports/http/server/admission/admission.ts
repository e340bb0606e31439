import { readClientAddress } from "../../../../contract/caller/client-address.ts";
import type { Principal } from "../../../../contract/caller/principal.ts";
import type { HostCheck } from "../../../../guard/host-check.ts";
import { andThen, type MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { OnDemand } from "../../../../lib/async/on-demand.ts";
import { isCanonicalLoopbackHost } from "../../../../lib/loopback.ts";
import { sendRpcError, toHttpStatus } from "../error-response.ts";
import { type Accepts, readAccept } from "../events/json-or-events.ts";
import type { HttpReply, HttpRequest } from "../http-interface.ts";
import type { Identification, IdentificationParts } from "./identification.ts";

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

export interface RefusedHost {
  readonly kind: "host" | "origin";
  readonly reason: string;
}

export interface AdmissionParts extends IdentificationParts {
  readonly hosts: HostCheck;
}

const initialize = { method: "initialize", params: {} };

/** Decides by their host, origin and credentials which requests are let in. */
export class HttpAdmission {
  readonly #parts: AdmissionParts;
  /** Undefined where all callers are anonymous. */
  readonly #identification: OnDemand<Identification> | undefined;
  #isProxyNoticed = false;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    const { authenticator, settings } = parts;
    if (authenticator || settings.identify)
      this.#identification = new OnDemand(async () => {
        const { Identification } = await import("./identification.ts");
        return new Identification(parts);
      });
  }

  /** The reason to refuse a request for its host or its origin; undefined when both are allowed. */
  hostRefusal(http: HttpRequest): RefusedHost | undefined {
    const { hosts, settings } = this.#parts;
    // A monitor may know only the address of a server, and its health is no secret.
    const byHost = http.path === settings.healthPath ? undefined : hosts.hostRefusal(http);
    const reason = byHost ?? hosts.originRefusal(http);
    if (reason === undefined) return undefined;
    return { kind: byHost === undefined ? "origin" : "host", reason };
  }

  /** Admits a request without credentials, for the routes that are public. */
  admitAnonymous(http: HttpRequest, reply: HttpReply): AdmittedRequest {
    return toAdmitted(http, { principal: undefined, reply }, undefined);
  }

  /** Admits a request by its credentials; undefined when it was refused. A promise only where they are checked. */
  admit(http: HttpRequest, reply: HttpReply): MaybePromise<AdmittedRequest | undefined> {
    const { trustProxy } = this.#parts.settings;
    const address = readClientAddress(http, trustProxy);
    if (trustProxy === undefined) this.#noticeProxy(http, address);
    if (this.#identification === undefined)
      return this.#unlessFlooding(toAdmitted(http, { principal: undefined, reply }, address));
    return andThen(
      this.#identification.use((part) => part.find(http, reply, address)),
      (identity) => identity && this.#unlessFlooding(toAdmitted(http, identity, address)),
    );
  }

  /** Checks the limits for a new two-way connection, which counts as one call; false when it was refused. */
  async mayConnect(admitted: AdmittedRequest): Promise<boolean> {
    const outcome = await this.#parts.limits?.acquire(initialize, admitted);
    if (outcome === undefined) return true;
    if (outcome.ok) outcome.release();
    else sendRpcError(admitted.reply, toHttpStatus(outcome.error), outcome.error);
    return outcome.ok;
  }

  /** Refuses a caller that is far beyond its rate before anything of its request is read. */
  #unlessFlooding(admitted: AdmittedRequest): AdmittedRequest | undefined {
    const { limits } = this.#parts;
    const error = limits?.floodError(admitted);
    if (error === undefined) return admitted;
    limits?.reportUnreadRefusal(error, admitted.address);
    sendRpcError(admitted.reply, toHttpStatus(error), error, undefined);
    return undefined;
  }

  /** Logs, once, that a proxy on this machine hides the addresses of strangers: this machine itself has no limits. */
  #noticeProxy(http: HttpRequest, address: string | undefined): void {
    if (this.#isProxyNoticed || http.header("x-forwarded-for") === undefined) return;
    if (!this.#parts.limits || !isCanonicalLoopbackHost(address ?? "")) return;
    this.#isProxyNoticed = true;
    this.#parts.refusals.add("proxy", http, "came through a proxy, and has no limits; set trustProxy.");
  }
}

function toAdmitted(
  http: HttpRequest,
  { principal, reply }: Pick<AdmittedRequest, "principal" | "reply">,
  address: string | undefined,
): AdmittedRequest {
  return { http, reply, accepts: readAccept(http.header("accept")), principal, address };
}
