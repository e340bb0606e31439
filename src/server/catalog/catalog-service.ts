import type { Call, Session } from "../../contract/call.ts";
import type { Principal } from "../../contract/caller/principal.ts";
import type { ServerEvent } from "../../contract/server-event.ts";
import type {
  CallingClient,
  NodeService,
  NotificationOrigin,
  Service,
  SessionOrigin,
} from "../../contract/service.ts";
import { onSessionEnd } from "../../contract/session-end.ts";
import { observeReceived, type Telemetry } from "../../contract/telemetry.ts";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import type { JsonObject, JsonText } from "../../lib/json.ts";
import type { ParamHeader } from "../../protocol/headers/param-headers.ts";
import { hasProtocolVersion } from "../../protocol/meta.ts";
import { toolOf } from "../../protocol/method.ts";
import { methods } from "../../protocol/method-table.ts";
import type { SupportedRevisions } from "../../protocol/negotiate.ts";
import type { Revision } from "../../protocol/revision.ts";
import { invalidRequest, WireCode } from "../../protocol/wire-error.ts";
import { loadValidator } from "../../schema/validate-json.ts";
import { dispatch } from "../dispatch.ts";
import { assertRequiredCapabilities, openSession, toInitializeResult } from "../methods/session.ts";
import { readCaller } from "../read-caller.ts";
import type { Catalog } from "./catalog.ts";

/** The service that transports see, answered from a catalog. */
export class CatalogService implements Service {
  readonly #catalog: Catalog;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    catalog.pending.offer();
  }

  get ready(): Promise<void> | undefined {
    return this.#catalog.pending.ready;
  }

  prepare(): void {
    if (this.#catalog.tools.enabled().some(({ item }) => item.input?.converts === false)) loadValidator();
  }

  get name(): string {
    return this.#catalog.settings.info.name;
  }

  get supported(): SupportedRevisions {
    return this.#catalog.settings.supported;
  }

  handle(call: Call): MaybePromise<JsonText> {
    return dispatch(this.#catalog, call);
  }

  listensTo(method: string): boolean {
    return this.#catalog.listensTo(method);
  }

  async notify(method: string, params: JsonObject, origin: NotificationOrigin): Promise<void> {
    const { principal, address, session, revision } = origin;
    let caller: CallingClient;
    try {
      caller = session ?? this.#readSender(params, revision);
    } catch (cause) {
      return this.#catalog.customNotifications.reportDrop(method, cause);
    }
    const sender = { client: caller.client, principal, address, session, revision: caller.revision.version };
    const received = { method, params, revision: sender.revision, from: origin, hasListener: true };
    await observeReceived(this.telemetry, received, () =>
      this.#catalog.notifyListeners(method, params, sender),
    );
  }

  /**
   * The sender of a notification outside a session; throws RpcError where a request would be refused.
   *
   * Notifications need no metadata, unlike requests: one without it has a sender that declares nothing.
   */
  #readSender(params: JsonObject, named: Revision | undefined): CallingClient {
    if (hasProtocolVersion(params)) return this.readCaller(params);
    const opensSessions = this.supported.opening("handshake").length > 0;
    const revision = named ?? (opensSessions ? undefined : this.supported.opening("each-request")[0]);
    if (revision === undefined)
      throw invalidRequest("The notification came before initialize, and names no revision.");
    return this.#admit({ revision, client: { info: undefined, capabilities: {} } });
  }

  readCaller(params: JsonObject): CallingClient {
    return this.#admit(readCaller(params, this.supported));
  }

  #admit(caller: CallingClient): CallingClient {
    assertRequiredCapabilities(this.#catalog, caller.client.capabilities, WireCode.missingClientCapability);
    return caller;
  }

  get telemetry(): Telemetry | undefined {
    return this.#catalog.settings.telemetry;
  }

  openSession(params: JsonObject, origin: SessionOrigin = {}, createId?: () => string): Session {
    const { telemetry } = this;
    const open = () => openSession(this.#catalog, params, createId);
    if (telemetry === undefined) return open();
    const session = telemetry.open(params, origin, open);
    onSessionEnd(session, "telemetry", telemetry.serveSession(session.revision.version, origin));
    return session;
  }

  initializeResult(session: Session, principal: Principal | undefined): JsonObject {
    return toInitializeResult(this.#catalog, session, principal);
  }

  mirroredParams(method: string, params: JsonObject): readonly ParamHeader[] {
    const tool = toolOf(methods.get(method), params);
    return tool === undefined ? [] : this.#catalog.mirroredParams(tool);
  }

  onChange(onEvent: (news: ServerEvent) => void): () => void {
    const { events } = this.#catalog;
    const listener = { onEvent };
    events.add(listener);
    return () => events.delete(listener);
  }

  async forNodes(): Promise<NodeService> {
    const { createNodeService } = await import("../node-service.ts");
    return createNodeService(this.#catalog);
  }

  report(message: string, cause: unknown): void {
    this.#catalog.settings.log({ message, cause });
  }
}
