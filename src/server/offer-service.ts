import type { Call, Session } from "../peer/call.ts";
import type { News } from "../peer/mount.ts";
import type { Caller, Service } from "../peer/service.ts";
import type { JsonObject, JsonText } from "../protocol/json.ts";
import type { MirroredParam } from "../protocol/mirrored-params.ts";
import type { Supported } from "../protocol/negotiate.ts";
import { WireCode } from "../protocol/wire-error.ts";
import { readCaller } from "./caller.ts";
import { dispatch } from "./dispatch.ts";
import { assertRequired, greet, openSession } from "./handlers/session.ts";
import type { Offer } from "./offer.ts";

/** What a server has to offer, as transports see it. */
export class OfferService implements Service {
  readonly #offer: Offer;

  constructor(offer: Offer) {
    this.#offer = offer;
  }

  get supported(): Supported {
    return this.#offer.settings.supported;
  }

  handle(call: Call): Promise<JsonObject | JsonText> {
    return dispatch(this.#offer, call);
  }

  readCaller(params: JsonObject): Caller {
    const caller = readCaller(params, this.supported);
    assertRequired(this.#offer, caller.client.capabilities, WireCode.missingClientCapability);
    return caller;
  }

  openSession(params: JsonObject): Session {
    return openSession(this.#offer, params);
  }

  greet(session: Session): JsonObject {
    return greet(this.#offer, session);
  }

  mirroredParams(method: string, params: JsonObject): readonly MirroredParam[] {
    if (method !== "tools/call" || typeof params.name !== "string") return [];
    return this.#offer.tools.get(params.name)?.mirrored ?? [];
  }

  onChange(listener: (news: News) => void): () => void {
    return this.#offer.changes.on(listener);
  }

  report(message: string, cause: unknown): void {
    this.#offer.settings.log({ message, cause });
  }
}
