import { assertPrincipal, type Principal } from "../../../../contract/caller/principal.ts";
import type { Authenticator, AuthRefusal } from "../../../../contract/http-auth.ts";
import { RpcError } from "../../../../errors.ts";
import type { CallLimits } from "../../../../guard/call-limits.ts";
import type { AttemptSource } from "../../../../guard/failed-attempts.ts";
import { andThen, attempt, type MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { Throttle } from "../../../../lib/async/throttle.ts";
import { sendError, sendRpcError, toHttpStatus } from "../error-response.ts";
import { type HttpReply, type HttpRequest, withResponseHeaders } from "../http-interface.ts";
import type { HttpSettings } from "../http-options.ts";
import type { RefusalLog } from "./refusal-log.ts";

export interface IdentificationParts {
  /** Undefined where `identify` of the settings determines the principal. */
  readonly authenticator: Authenticator | undefined;
  readonly limits: CallLimits | undefined;
  readonly settings: HttpSettings;
  readonly refusals: RefusalLog;
  /** Logs an error that callers must not see. */
  readonly report: (message: string, cause: unknown) => void;
}

/** The principal of a request, and the reply that carries the headers of its authorization. */
export interface Identity {
  readonly principal: Principal | undefined;
  readonly reply: HttpReply;
}

const reportEveryMs = 10_000;

/** Finds the principals of requests by their credentials. Answers those that it refuses. */
export class Identification {
  readonly #parts: IdentificationParts;
  readonly #throttle = new Throttle(reportEveryMs);

  constructor(parts: IdentificationParts) {
    this.#parts = parts;
  }

  /** The identity behind a request; undefined when it was refused. A promise only where its credentials take time. */
  find(http: HttpRequest, reply: HttpReply, address: string | undefined): MaybePromise<Identity | undefined> {
    return andThen(this.#parts.limits?.failedAttempts, (attempts) => {
      const source = this.#toSource(http, address);
      const refusal = attempts?.refusal(source);
      if (refusal === undefined) return this.#check(http, reply, () => attempts?.record(source));
      sendRpcError(reply, toHttpStatus(refusal), refusal);
      return undefined;
    });
  }

  #check(http: HttpRequest, reply: HttpReply, onFailed: () => void): MaybePromise<Identity | undefined> {
    return attempt(
      () => this.#identify(http, reply),
      (identity) => {
        if (identity === undefined) onFailed();
        return identity;
      },
      (error) => {
        if (!(error instanceof RpcError)) throw error;
        this.#parts.refusals.add("credentials", http, `was refused by identify: ${error.message}`);
        sendRpcError(reply, 403, error);
        onFailed();
        return undefined;
      },
    );
  }

  #identify(http: HttpRequest, reply: HttpReply): MaybePromise<Identity | undefined> {
    const { authenticator, settings } = this.#parts;
    if (authenticator === undefined)
      return andThen(settings.identify?.(http), (given) => ({ principal: assertPrincipal(given), reply }));
    return andThen(authenticator.authenticate(http), (result) => {
      if (!result.ok) return this.#refuse(http, reply, result.refusal);
      const { principal, headers } = result;
      return { principal, reply: headers ? withResponseHeaders(reply, headers) : reply };
    });
  }

  #refuse(http: HttpRequest, reply: HttpReply, { status, headers, message, cause }: AuthRefusal): undefined {
    if (cause !== undefined) this.#report(cause);
    // A request without credentials is how every login begins.
    else if (http.header("authorization") !== undefined)
      this.#parts.refusals.add("credentials", http, `was refused with ${status}: ${message}`);
    sendError(reply, status, message, { headers });
  }

  /** Reports at most once in ten seconds: anybody can send bad credentials, and must not fill the log. */
  #report(cause: unknown): void {
    if (this.#throttle.isDue()) this.#parts.report("Credentials could not be checked", cause);
  }

  /** The address, and what a proxy claims that is not trusted: the last address of the header is the one that it saw. */
  #toSource(http: HttpRequest, address: string | undefined): AttemptSource {
    const isUntrusted = this.#parts.settings.trustProxy === undefined;
    const claimed = isUntrusted ? http.header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
    return { address, claimed };
  }
}
