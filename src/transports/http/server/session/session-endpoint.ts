import type { ClusterNode } from "../../../../cluster/node.ts";
import { toHttpView } from "../../../../contract/caller/http-view.ts";
import type { SessionOrigin } from "../../../../contract/service.ts";
import type { RpcError } from "../../../../errors.ts";
import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import {
  encodeResponse,
  type Message,
  type RequestId,
  type RpcRequest,
} from "../../../../protocol/message.ts";
import { methods } from "../../../../protocol/method-table.ts";
import { memoryState } from "../../../../state/memory/memory-state.ts";
import type { AdmittedRequest } from "../admission/admission.ts";
import type { EndpointContext } from "../endpoint-context.ts";
import { jsonHeaders, sendError, sendRpcError, toPublicRpcError } from "../error-response.ts";
import { JsonOrEvents } from "../events/json-or-events.ts";
import type { StreamedRequest } from "../events/stream-record.ts";
import { type HttpReply, withResponseHeaders } from "../http-interface.ts";
import { acknowledge, notifyListeners } from "../notify-listeners.ts";
import {
  mayContainRequest,
  type PostedMessage,
  refuseWithoutId,
  requestIdOf,
} from "../request/posted-message.ts";
import { connectSessions } from "./connect-sessions.ts";
import { HttpSession } from "./http-session.ts";
import { resumeStream } from "./resume/resume-stream.ts";
import { receiveBatch } from "./session-batch.ts";
import { answerSessionCall, type SessionCallParts } from "./session-call.ts";
import { SessionReply, sendSessionNotFound } from "./session-reply.ts";
import { SessionTable } from "./session-table.ts";

const sessionHeader = "mcp-session-id";

/**
 * The revisions that open with a handshake, on the one endpoint: POST, GET and DELETE.
 *
 * basic/transports#session-management (2025-11-25)
 */
export class SessionEndpoint {
  readonly #context: EndpointContext;
  readonly #table: SessionTable;

  constructor(context: EndpointContext, node?: ClusterNode) {
    const { service, sessions: limits } = context;
    const state = context.state() ?? memoryState();
    this.#context = context;
    this.#table = new SessionTable({ service, state, node, limits });
    if (node) connectSessions(node, this.#table);
  }

  /** Has clients come back for their streams to other nodes. */
  leaveStreams(): void {
    this.#table.leaveStreams();
  }

  /** Ends all sessions of this process. */
  close(): void {
    this.#table.close();
  }

  post(admitted: AdmittedRequest, message: PostedMessage): Promise<void> | void {
    const id = requestIdOf(message);
    if (message.kind === "request" && methods.get(message.method)?.opens)
      return this.#initialize(admitted, message).catch(this.#toFail(admitted.reply, id));
    const finding = this.#findSession(admitted, id);
    if (!(finding instanceof Promise)) return this.#receive(admitted, finding, message);
    return finding.then(
      (session) => this.#receive(admitted, session, message),
      this.#toFail(admitted.reply, id),
    );
  }

  /** Answers a request whose session could not be asked for. Made here, so that it keeps no more of the request in memory. */
  #toFail(reply: HttpReply, id: RequestId | undefined): (error: unknown) => void {
    return (error) => this.#context.requests.fail(reply, error, id);
  }

  /** Opens the stream beside the requests, or goes on with one that broke. */
  async get(admitted: AdmittedRequest): Promise<void> {
    if (!admitted.accepts.events)
      return sendError(admitted.reply, 406, "GET opens a stream of events; accept text/event-stream.");
    const session = await this.#findSession(admitted);
    if (session) await resumeStream(this.#context, admitted, session);
  }

  async delete(admitted: AdmittedRequest): Promise<void> {
    const session = await this.#findSession(admitted);
    if (session === undefined) return;
    await this.#table.remove(session);
    admitted.reply.send(204, {});
  }

  async #initialize(admitted: AdmittedRequest, request: RpcRequest): Promise<void> {
    const { reply, accepts } = admitted;
    const { service, sessions, heartbeat } = this.#context;
    try {
      const session = sessions.stateless
        ? service.openSession(request.params, toOrigin(admitted))
        : (await this.#table.open(request.params, admitted, toOrigin(admitted)))?.session;
      if (session === undefined) {
        return sendError(reply, 503, "Too many sessions are in use; try again later.", {
          id: request.id,
          headers: { "retry-after": "5" },
        });
      }
      const text = encodeResponse(request.id, service.initializeResult(session, admitted.principal));
      const withId = sessions.stateless ? reply : withResponseHeaders(reply, { [sessionHeader]: session.id });
      new JsonOrEvents(withId, accepts, heartbeat).finish(200, jsonHeaders, text);
    } catch (error) {
      sendRpcError(reply, 400, toPublicRpcError(error), request.id);
    }
  }

  /**
   * Finds the session that a request names; undefined when the request was refused, under its `id`.
   *
   * basic/transports#session-management (2025-11-25)
   */
  #findSession(admitted: AdmittedRequest, id?: RequestId): MaybePromise<HttpSession | undefined> {
    const { http, reply } = admitted;
    const { requestRevision } = this.#context;
    const revision = requestRevision.inSession(http);
    // basic/transports#protocol-version-header (2025-11-25)
    if (revision === undefined) {
      const { names } = requestRevision.supported;
      const problem = `Unsupported MCP-Protocol-Version; this server speaks ${names.join(", ")}.`;
      sendError(reply, 400, problem, { id });
      return undefined;
    }
    if (this.#context.sessions.stateless) return HttpSession.forOneRequest(revision);
    const sessionId = http.header(sessionHeader);
    if (sessionId === undefined) {
      const problem = "Mcp-Session-Id is missing; initialize first, then send the id you are given.";
      sendError(reply, 400, problem, { id });
      return undefined;
    }
    const finding = this.#table.find(sessionId, admitted);
    if (!(finding instanceof Promise)) return this.#orRefuse(admitted, finding, id);
    return finding.then((session) => this.#orRefuse(admitted, session, id));
  }

  #orRefuse(
    { http, reply }: AdmittedRequest,
    session: HttpSession | undefined,
    id: RequestId | undefined,
  ): HttpSession | undefined {
    if (session === undefined) {
      sendSessionNotFound(reply, id);
      return undefined;
    }
    const { revision } = session.session;
    if (!this.#context.requestRevision.contradicts(http, revision)) return session;
    const problem = `MCP-Protocol-Version does not match the session, which is of ${revision.version}.`;
    sendError(reply, 400, problem, { id });
    return undefined;
  }

  #receive(
    admitted: AdmittedRequest,
    session: HttpSession | undefined,
    message: PostedMessage,
  ): Promise<void> | void {
    if (session === undefined) return;
    // Another node may have ended it a moment after it was found.
    if (session.session.hasEnded) return sendSessionNotFound(admitted.reply, requestIdOf(message));
    const full = mayContainRequest(message) ? this.#table.refusalOf(admitted) : undefined;
    if (full) return sendRpcError(admitted.reply, full.wireCode, full, requestIdOf(message));
    if (message.kind === "request")
      return answerSessionCall(message, this.#toParts(admitted, session, [message]));
    const { reply } = admitted;
    if (message.kind === "batch")
      return receiveBatch(message, {
        reply,
        session,
        notifyListeners: (notification) => this.#notifyListeners(admitted, session, notification),
        toCallParts: (requests, answers) => this.#toParts(admitted, session, requests, answers),
      });
    if (message.kind === "invalid")
      return session.receive(message).then(() => refuseWithoutId(reply, message));
    const refusal = this.#notifyListeners(admitted, session, message);
    if (!(refusal instanceof Promise))
      return session.receive(message).then(() => acknowledge(reply, refusal));
    return Promise.all([refusal, session.receive(message)]).then(([error]) => acknowledge(reply, error));
  }

  /** The error of a notification that is beyond the limits. */
  #notifyListeners(
    { principal, address, http }: AdmittedRequest,
    { session }: HttpSession,
    message: Message,
  ): MaybePromise<RpcError | undefined> {
    if (message.kind !== "notification") return undefined;
    return notifyListeners(this.#context, message, {
      principal,
      address,
      session,
      get http() {
        return toHttpView(http);
      },
    });
  }

  #toParts(
    admitted: AdmittedRequest,
    session: HttpSession,
    requests: readonly RpcRequest[],
    batchSize?: number,
  ): SessionCallParts {
    const answered = { batchSize, requests: session.node && toStreamed(requests, session.node) };
    const reply = new SessionReply(this.#context, session, admitted, answered);
    const { http, principal, address } = admitted;
    return { context: this.#context, session, reply, principal, address, http };
  }
}

function toStreamed(requests: readonly RpcRequest[], { service }: ClusterNode): readonly StreamedRequest[] {
  return requests.map(({ id, method, params }) => ({ id, mayRepeat: service.mayRepeat(method, params) }));
}

function toOrigin({ http, address }: AdmittedRequest): SessionOrigin {
  return {
    address,
    get http() {
      return toHttpView(http);
    },
  };
}
