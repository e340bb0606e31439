import type { Principal } from "../../../../contract/caller/principal.ts";
import {
  type Authenticator,
  type AuthRefusal,
  MissingScopesError,
  type ServerAuth,
} from "../../../../contract/http-auth.ts";
import type { Service } from "../../../../contract/service.ts";
import { type RpcError, UsageError } from "../../../../errors.ts";
import { andThen, type MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { Throttle } from "../../../../lib/async/throttle.ts";
import { MemoryValues } from "../../../../state/memory/values.ts";
import { sendError } from "../error-response.ts";
import { type HttpReply, type HttpRequest, withResponseHeaders } from "../http-interface.ts";
import { type HttpOptions, toHttpSettings } from "../http-options.ts";
import type { RefusalLog } from "./refusal-log.ts";

/** The principal of an authorized request, and the reply that carries the headers of its authorization. */
interface Authorized {
  readonly principal: Principal;
  readonly reply: HttpReply;
}

/** Takes reports of problems with credentials. */
interface AuthorizationReports {
  readonly service: Service;
  readonly refusals: RefusalLog;
}

const reportEveryMs = 10_000;

/** Puts authorization in front of everything that is served with these options. */
export function createHttpAuthorization(
  auth: ServerAuth,
  options: HttpOptions,
  reports: AuthorizationReports,
): HttpAuthorization {
  if (options.identify)
    throw new UsageError("Give auth or identify, not both: each determines the principal.");
  const { path, sse } = toHttpSettings(options);
  const createAuthenticator = auth.protect({
    publicUrl: options.publicUrl,
    endpoints: sse ? [[path], [sse.path, sse.messagesPath]] : [[path]],
  });
  const values = options.state?.values ?? new MemoryValues();
  return new HttpAuthorization(createAuthenticator(values), reports);
}

/** Authorization in front of every route. */
export class HttpAuthorization {
  readonly #authenticator: Authenticator;
  readonly #reports: AuthorizationReports;
  readonly #throttle = new Throttle(reportEveryMs);

  constructor(authenticator: Authenticator, reports: AuthorizationReports) {
    this.#authenticator = authenticator;
    this.#reports = reports;
  }

  /** The public metadata of the protected resource: JSON, by its path. */
  get documents(): ReadonlyMap<string, string> {
    return this.#authenticator.documents;
  }

  /** Authorizes a request; undefined when it was refused. */
  authorize(http: HttpRequest, reply: HttpReply): MaybePromise<Authorized | undefined> {
    return andThen(this.#authenticator.authenticate(http), (result) => {
      if (!result.ok) return this.#refuse(http, reply, result.refusal);
      const { principal, headers } = result;
      return { principal, reply: headers ? withResponseHeaders(reply, headers) : reply };
    });
  }

  #refuse(http: HttpRequest, reply: HttpReply, { status, headers, message, cause }: AuthRefusal): undefined {
    if (cause !== undefined) this.#report(cause);
    // A request without credentials is how every login begins.
    else if (http.header("authorization") !== undefined)
      this.#reports.refusals.add("credentials", http, `was refused with ${status}: ${message}`);
    sendError(reply, status, message, { headers });
  }

  /** Reports at most once in ten seconds: anybody can send bad credentials, and must not fill the log. */
  #report(cause: unknown): void {
    if (this.#throttle.isDue()) this.#reports.service.report("Credentials could not be checked", cause);
  }

  /**
   * The step-up challenge for a call that lacks scopes; undefined for any other failure.
   *
   * basic/authorization#runtime-insufficient-scope-errors (2025-11-25)
   */
  stepUp(principal: Principal | undefined, error: RpcError): AuthRefusal | undefined {
    if (!(error instanceof MissingScopesError) || principal === undefined) return undefined;
    return this.#authenticator.stepUp(principal, error.scopes);
  }
}
