import type { Principal } from "../../../contract/principal.ts";
import type { Service } from "../../../contract/service.ts";
import type { Heartbeat } from "../../../lib/heartbeat.ts";
import type { State } from "../../../state/state.ts";
import type { HttpAuthorization } from "./authorization.ts";
import type { BodyLimits, HttpReply, HttpRequest } from "./http-interface.ts";
import type { SessionOptions } from "./http-options.ts";
import type { SharedAbortControllers } from "./shared-abort-controllers.ts";

/** What all requests to one endpoint have in common. */
export interface EndpointContext {
  readonly service: Service;
  /** Given from outside, so that what is not finished may go on elsewhere. */
  readonly state: State | undefined;
  readonly heartbeat: Heartbeat;
  readonly sessions: Required<SessionOptions>;
  readonly limits: BodyLimits;
  /** Aborted when the endpoint closes. */
  readonly closing: AbortSignal;
  /** For calls that wait for that. */
  readonly closingControllers: SharedAbortControllers;
  /** Calls without a session that are under way. */
  readonly calls: Set<OpenCall>;
  readonly authorization: HttpAuthorization | undefined;
}

export interface OpenCall {
  /** Lets what would go on for ever come to its end. */
  close(): void;
  /** Ends what has not come to its end by itself. */
  end(): void;
}

/** One HTTP request that the guard has let in. */
export interface AdmittedRequest {
  readonly http: HttpRequest;
  readonly reply: HttpReply;
  readonly principal: Principal | undefined;
  /** Where the client is, as far as that can be known. */
  readonly address: string | undefined;
}
