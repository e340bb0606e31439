import type { Call, Session } from "../contract/call.ts";
import type { ServerEvent } from "../contract/server-event.ts";
import type { Caller, NotificationOrigin, Service } from "../contract/service.ts";
import type { JsonObject, JsonText } from "../lib/json.ts";
import { hasProtocolVersion } from "../protocol/meta.ts";
import type { SupportedRevisions } from "../protocol/negotiate.ts";
import type { ParamHeader } from "../protocol/param-headers.ts";
import { WireCode } from "../protocol/wire-error.ts";
import type { Catalog } from "./catalog.ts";
import { dispatch } from "./dispatch.ts";
import { assertRequiredCapabilities, openSession, toInitializeResult } from "./methods/session.ts";
import { readCaller } from "./read-caller.ts";

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

  get supported(): SupportedRevisions {
    return this.#catalog.settings.supported;
  }

  handle(call: Call): Promise<JsonObject | JsonText> {
    return dispatch(this.#catalog, call);
  }

  listensTo(method: string): boolean {
    return this.#catalog.customNotifications.has(method);
  }

  async notify(
    method: string,
    params: JsonObject,
    { principal, address, session }: NotificationOrigin,
  ): Promise<void> {
    try {
      const caller = session ?? this.#senderOf(params);
      if (caller === undefined) return;
      const { client, revision } = caller;
      const sender = { client, principal, address, session, revision: revision.version };
      await this.#catalog.customNotifications.receive(method, params, caller, sender);
    } catch (cause) {
      this.report(`${method} could not be taken`, cause);
    }
  }

  /** The sender of a notification outside a session, where the revision needs none. */
  #senderOf(params: JsonObject): Caller | undefined {
    if (hasProtocolVersion(params)) return this.readCaller(params);
    const [revision] = this.supported.opening("each-request");
    return revision && { revision, client: { info: undefined, capabilities: {} } };
  }

  readCaller(params: JsonObject): Caller {
    const caller = readCaller(params, this.supported);
    assertRequiredCapabilities(this.#catalog, caller.client.capabilities, WireCode.missingClientCapability);
    return caller;
  }

  openSession(params: JsonObject): Session {
    return openSession(this.#catalog, params);
  }

  initializeResult(session: Session): JsonObject {
    return toInitializeResult(this.#catalog, session);
  }

  mirroredParams(method: string, params: JsonObject): readonly ParamHeader[] {
    if (method !== "tools/call" || typeof params.name !== "string") return [];
    return this.#catalog.tools.get(params.name)?.mirrored ?? [];
  }

  onChange(listener: (news: ServerEvent) => void): () => void {
    return this.#catalog.events.on(listener);
  }

  report(message: string, cause: unknown): void {
    this.#catalog.settings.log({ message, cause });
  }
}
