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
  /** The longest time for the whole negotiation; `signal` ends it. */
  readonly openMs: number;
  readonly probeMs: number;
}

/** Finds the newest revision that both sides speak, on as many channels as that takes. */
export async function negotiateConnection(plan: NegotiationPlan): Promise<Agreement> {
  const negotiation = new Negotiation(plan);
  try {
    const agreement = await negotiation.run();
    if (plan.signal?.aborted) throw toCancelled("connect", plan.signal.reason);
    return agreement;
  } catch (error) {
    await negotiation.startOver();
    throw error;
  }
}

// Enough for every honest server; one that contradicts itself is given up.
const maxRequests = 6;

class Negotiation {
  readonly #plan: NegotiationPlan;
  readonly #offers: readonly Revision[];
  #attempt: NegotiationChannel | undefined;
  /** The shape of the hint, used until something goes wrong. */
  #shape: string | undefined;
  #requestsLeft = maxRequests;

  constructor(plan: NegotiationPlan) {
    this.#plan = plan;
    this.#offers = plan.supported.opening("handshake");
    this.#shape = plan.hint?.shape;
  }

  async run(): Promise<Agreement> {
    const { supported, hint, openMs, probeMs } = this.#plan;
    const known = supported.find(hint?.revision);
    if (known?.opening === "handshake") {
      const agreement = await this.#tryHint(known);
      if (agreement) return agreement;
    }
    const [newest] = supported.opening("each-request");
    const [offer] = this.#offers;
    if (newest === undefined) return this.#initialize(offer);
    if (offer === undefined) return this.#discover(newest);
    // The fallback, if there is one, must have time left.
    const half = openMs / 2;
    return this.#discover(newest, known?.opening === "each-request" ? half : Math.min(probeMs, half));
  }

  /** Closes the channel; the next request opens a new one. */
  async startOver(): Promise<void> {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    this.#shape = undefined;
    await attempt?.abandon();
  }

  /** Tries the hinted revision; undefined if that fails, and the hint is dropped. */
  async #tryHint(known: Revision): Promise<Agreement | undefined> {
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
    const outcome = await readDiscovery(attempt.request("server/discover", params, ms));
    switch (outcome.kind) {
      case "offers": {
        const chosen = chooseRevision(outcome.offered, supported);
        return chosen.opening === "handshake"
          ? this.#initialize(chosen)
          : this.#agree(chosen, outcome.result);
      }
      case "wants": {
        const chosen = chooseRevision(outcome.offered, supported);
        return chosen.opening === "handshake" ? this.#initialize(chosen) : this.#discover(chosen);
      }
      case "refuses":
        throw outcome.error;
      case "unclear":
        return this.#fallBack(revision, outcome.error);
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
      // The server may only have been slow to start: now that it answers, ask again.
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
    if (attempt === undefined) throw new InvalidResponseError("The connection is not open.");
    return { channel: attempt.agree(), revision, server: describeServer(result, revision.version) };
  }
}

/** True when a request did not reach the MCP server, so that it proves nothing about its revision. */
function isUnreached(error: Error): boolean {
  return error instanceof HttpError || error instanceof CallLostError;
}
