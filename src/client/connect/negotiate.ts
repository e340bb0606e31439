import { toCancelled } from "../../contract/cancellation.ts";
import {
  CallLostError,
  HttpError,
  InvalidResponseError,
  RpcError,
  TimeoutError,
  UnsupportedRevisionError,
} from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { chooseRevision, type SupportedRevisions } from "../../protocol/negotiate.ts";
import type { Revision } from "../../protocol/revision.ts";
import { type Agreement, describeServer } from "../agreement.ts";
import { encodeCapabilities } from "../capabilities.ts";
import { type ClientProfile, createRequestMeta } from "../request-meta.ts";
import { readDiscovery, supportedVersionsIn, toInitializeError } from "./discover.ts";
import type { ServerHint } from "./known-servers.ts";
import { NegotiationChannel, type NegotiationParts } from "./negotiation-channel.ts";

export interface NegotiationPlan extends NegotiationParts {
  readonly supported: SupportedRevisions;
  readonly profile: ClientProfile;
  readonly hint: ServerHint | undefined;
  /** What all of it may take; `signal` ends it. */
  readonly openMs: number;
  readonly probeMs: number;
}

/** Finds the newest revision that both sides speak, on as many channels as that takes. */
export async function negotiateConnection(plan: NegotiationPlan): Promise<Agreement> {
  const opening = new Opening(plan);
  try {
    const agreement = await opening.run();
    if (plan.signal?.aborted) throw toCancelled("connect", plan.signal.reason);
    return agreement;
  } catch (error) {
    await opening.startOver();
    throw error;
  }
}

// Enough for every honest server; one that contradicts itself is left alone after that.
const maxRequests = 6;

class Opening {
  readonly #plan: NegotiationPlan;
  readonly #offers: readonly Revision[];
  #attempt: NegotiationChannel | undefined;
  /** Believed until something goes wrong. */
  #shape: string | undefined;
  #requestsLeft = maxRequests;

  constructor(plan: NegotiationPlan) {
    this.#plan = plan;
    this.#offers = plan.supported.opening("handshake");
    this.#shape = plan.hint?.shape;
  }

  async run(): Promise<Agreement> {
    const { supported, hint: verdict, openMs, probeMs } = this.#plan;
    const known = supported.find(verdict?.revision);
    if (known?.opening === "handshake") {
      const agreement = await this.#tryVerdict(known);
      if (agreement) return agreement;
    }
    const [newest] = supported.opening("each-request");
    const [offer] = this.#offers;
    if (newest === undefined) return this.#initialize(offer);
    if (offer === undefined) return this.#discover(newest);
    // Where there is something to fall back to, time must be left for it.
    const half = openMs / 2;
    return this.#discover(newest, known?.opening === "each-request" ? half : Math.min(probeMs, half));
  }

  /** Lets go of the channel; the next request is on a fresh one. */
  async startOver(): Promise<void> {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    this.#shape = undefined;
    await attempt?.abandon();
  }

  /** A wrong verdict costs this one try: whatever comes of it, nothing is known then. */
  async #tryVerdict(known: Revision): Promise<Agreement | undefined> {
    try {
      return await this.#initialize(known);
    } catch (error) {
      if (this.#plan.signal?.aborted) throw error;
      await this.startOver();
      return undefined;
    }
  }

  async #discover(revision: Revision, ms?: number): Promise<Agreement> {
    const { supported, profile } = this.#plan;
    const params = { _meta: createRequestMeta(revision, profile) };
    const attempt = await this.#nextRequest();
    const finding = await readDiscovery(attempt.request("server/discover", params, ms));
    switch (finding.kind) {
      case "offers": {
        const chosen = chooseRevision(finding.offered, supported);
        return chosen.opening === "handshake"
          ? this.#initialize(chosen)
          : this.#agree(chosen, finding.result);
      }
      case "wants": {
        const chosen = chooseRevision(finding.offered, supported);
        return chosen.opening === "handshake" ? this.#initialize(chosen) : this.#discover(chosen);
      }
      case "refuses":
        throw finding.error;
      case "unclear":
        return this.#fallBack(revision, finding.error);
    }
  }

  async #fallBack(revision: Revision, error: Error): Promise<Agreement> {
    const { signal, supported } = this.#plan;
    if (signal?.aborted) throw error;
    const isGone = this.#attempt?.isClosed;
    const [offer] = this.#offers;
    if (offer === undefined) {
      throw isGone || isUnreached(error)
        ? error
        : new UnsupportedRevisionError(supported.names.join(" or "), [], { cause: error });
    }
    if (isGone) await this.startOver();
    try {
      return await this.#initialize(offer);
    } catch (refusal) {
      // It may have been slow to start, not deaf: now that it answers, ask again.
      const wasSilent = error instanceof TimeoutError || isUnreached(error);
      if (!wasSilent || !(refusal instanceof RpcError)) throw refusal;
      return this.#discover(revision);
    }
  }

  async #initialize(offer: Revision | undefined): Promise<Agreement> {
    if (offer === undefined) throw new UnsupportedRevisionError("none", []);
    const { profile, supported } = this.#plan;
    const params = {
      protocolVersion: offer.version,
      capabilities: encodeCapabilities(offer, profile.capabilities),
      clientInfo: offer.encode.implementation(profile.info),
    };
    let result: JsonObject;
    try {
      const attempt = await this.#nextRequest();
      result = await attempt.request("initialize", params);
    } catch (error) {
      return this.#offerAnother(offer, error);
    }
    const { protocolVersion } = result;
    const chosen = this.#offers.find(({ version }) => version === protocolVersion);
    if (chosen) return this.#agree(chosen, result);
    if (typeof protocolVersion !== "string")
      throw new InvalidResponseError("initialize was answered without protocolVersion.");
    throw new UnsupportedRevisionError(supported.names.join(" or "), [protocolVersion]);
  }

  /** A refusal that names what the server speaks is worth one more try. */
  async #offerAnother(refused: Revision, error: unknown): Promise<Agreement> {
    const offered = supportedVersionsIn(error)?.filter((version) => version !== refused.version);
    if (offered === undefined) throw toInitializeError(error);
    const chosen = chooseRevision(offered, this.#plan.supported);
    return chosen.opening === "handshake" ? this.#initialize(chosen) : this.#discover(chosen);
  }

  /** The channel for one more request. */
  async #nextRequest(): Promise<NegotiationChannel> {
    if (this.#requestsLeft === 0)
      throw new InvalidResponseError("The server contradicts itself about the revisions it speaks.");
    this.#requestsLeft--;
    this.#attempt ??= await NegotiationChannel.open(this.#plan, this.#shape);
    return this.#attempt;
  }

  #agree(revision: Revision, result: JsonObject): Agreement {
    const attempt = this.#attempt;
    if (attempt === undefined) throw new InvalidResponseError("There is no connection to agree on.");
    return { channel: attempt.agree(), revision, server: describeServer(result, revision.version) };
  }
}

/** Whether the question never got to who could answer it, which says nothing about the server. */
function isUnreached(error: Error): boolean {
  return error instanceof HttpError || error instanceof CallLostError;
}
