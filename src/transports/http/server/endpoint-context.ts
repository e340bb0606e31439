import type { Authenticator } from "../../../contract/http-auth.ts";
import type { PingOptions } from "../../../contract/ping.ts";
import type { Service } from "../../../contract/service.ts";
import { CallLimits } from "../../../guard/call-limits.ts";
import type { LazyAbortController } from "../../../lib/async/abort.ts";
import { Heartbeat } from "../../../lib/async/heartbeat.ts";
import { endsWorkWithRequest } from "../../../lib/runtime.ts";
import type { State } from "../../../state/state.ts";
import { createAuthenticator } from "./admission/authorization.ts";
import type { EndpointState } from "./endpoint-state.ts";
import type { HttpOptions, HttpSettings, SessionOptions } from "./http-options.ts";
import type { OpenRequests } from "./open-requests.ts";
import type { BodyLimits } from "./request/body-limits.ts";
import { RequestRevision } from "./request/request-revision.ts";

/** The parts that all requests to one endpoint share. */
export interface EndpointContext {
  readonly service: Service;
  readonly requestRevision: RequestRevision;
  /** The state that was given from outside, so that unfinished calls may go on elsewhere. */
  readonly state: () => State | undefined;
  readonly authenticator: Authenticator | undefined;
  readonly callLimits: CallLimits | undefined;
  readonly bodyLimits: BodyLimits;
  readonly sessions: Required<SessionOptions>;
  readonly heartbeat: Heartbeat;
  readonly ping: PingOptions | undefined;
  /** Aborted when the endpoint closes. */
  readonly closing: LazyAbortController;
  /** Controllers for the calls that wait for `closing`. */
  readonly closingControllers: SharedAbortControllers;
  /** The requests that are being answered. */
  readonly requests: Pick<OpenRequests, "abandon" | "fail">;
  /** Stateless calls that are running. */
  readonly calls: Set<OpenCall>;
}

/** What an endpoint itself gives to its context. */
interface OwnParts
  extends Pick<EndpointContext, "service" | "state" | "bodyLimits" | "closing" | "requests"> {
  /** The state that was given, once it is open. */
  readonly opened: () => Promise<EndpointState> | undefined;
}

export function createContext(
  options: HttpOptions,
  settings: HttpSettings,
  { opened, ...own }: OwnParts,
): EndpointContext {
  const { service } = own;
  const { limits = {}, state } = options;
  const limitParts = {
    counters: () => opened()?.then(({ state: { counters } }) => counters),
    isShared: state?.isShared,
    name: service.name,
    report: (message: string, cause: unknown) => service.report(message, cause),
  };
  return {
    ...own,
    requestRevision: new RequestRevision(service.supported),
    authenticator: createAuthenticator(options, settings, () =>
      opened()?.then(({ state: { values } }) => values),
    ),
    callLimits: limits ? new CallLimits(limits, limitParts) : undefined,
    sessions: settings.sessions,
    heartbeat: new Heartbeat(settings.keepAliveMs),
    ping: settings.ping,
    closingControllers: new SharedAbortControllers(),
    calls: new Set(),
  };
}

/** A call that the endpoint can end. */
export interface OpenCall {
  /** Asks a call that would go on indefinitely to end. */
  close(): void;
  /** Ends a call that has not ended by itself. */
  end(): void;
}

const callsPerController = 10;

/**
 * Abort controllers that a few calls share. Thousands of listeners on one signal are slow and
 * platforms warn about them; one signal for each call takes much memory. In a worker each call has its own,
 * because a controller belongs to the request in which it was made.
 */
export class SharedAbortControllers {
  #current: AbortController | undefined;
  #given = 0;

  next(): AbortController {
    if (endsWorkWithRequest || ++this.#given % callsPerController === 0) this.#current = undefined;
    this.#current ??= new AbortController();
    return this.#current;
  }
}
