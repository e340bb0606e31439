import { toCancelled } from "../../contract/cancelled-error.ts";
import {
  CallLostError,
  HttpError,
  InvalidResponseError,
  RpcError,
  UnsupportedRevisionError,
} from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { chooseRevision, type SupportedRevisions } from "../../protocol/negotiate.ts";
import type { Revision } from "../../protocol/revision.ts";
import { type Agreement, describeServer } from "../agreement.ts";
import { encodeCapabilities } from "../capabilities.ts";
import { type ClientProfile, createRequestMeta } from "../request-meta.ts";
import {
  type Discovered,
  type DiscoveryOutcome,
  readDiscovery,
  supportedVersionsIn,
  toInitializeError,
} from "./discover.ts";
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

/**
 * Finds the newest revision that both sides speak, on as many channels as that takes.
 *
 * basic/versioning#backward-compatibility-with-initialization-based-versions (2026-07-28)
 */
export async function negotiateConnection(plan: NegotiationPlan): Promise<Agreement> {
  const negotiation = new Negotiation(plan);
  try {
    const agreement = await negotiation.run();
    if (plan.signal?.aborted) throw toCancelled("connect", plan.signal.reason);
    return agreement;
  } catch (error) {
    const explained = await negotiation.explain(error);
    await negotiation.startOver();
    throw explained;
  }
}

/** The patience with a program that was started and has sent nothing yet, in times of the usual one. */
const startFactor = 4;

/** The time that a second start needs at most, in times of the first. */
const restartFactor = 2;

// Enough for every honest server; one that contradicts itself is given up.
const maxRequests = 6;

class Negotiation {
  readonly #plan: NegotiationPlan;
  readonly #offers: readonly Revision[];
  #attempt: NegotiationChannel | undefined;
  /** The shape of the hint, used until something goes wrong. */
  #shape: string | undefined;
  #requestsLeft = maxRequests;
  readonly #begunAt = performance.now();

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

  async explain(error: unknown): Promise<unknown> {
    return this.#attempt?.explain(error) ?? error;
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

  /** Asks for the newest revision; after `ms` without an answer, `initialize` is sent beside it. */
  async #discover(revision: Revision, ms?: number): Promise<Agreement> {
    const params = { _meta: createRequestMeta(revision, this.#plan.profile) };
    const attempt = await this.#nextRequest();
    const discovery = readDiscovery(attempt.request("server/discover", params));
    const outcome = ms === undefined ? await discovery : await this.#waitForProbe(attempt, discovery, ms);
    return outcome ? this.#follow(revision, outcome) : this.#race(revision, discovery);
  }

  /** Waits for the answer to the probe: longer while a program that was started has given no sign of life. */
  async #waitForProbe<T>(
    attempt: NegotiationChannel,
    answer: Promise<T>,
    ms: number,
  ): Promise<T | undefined> {
    const startMs = Math.min(ms * startFactor, this.#plan.openMs / 2);
    const signs = [answer, attempt.started].map((sign) => sign.then(() => true));
    if (!(await attempt.within(startMs, Promise.race(signs)))) return undefined;
    return attempt.within(ms, answer);
  }

  async #follow(revision: Revision, outcome: DiscoveryOutcome): Promise<Agreement> {
    if (outcome.kind === "refuses") throw outcome.error;
    if (outcome.kind === "unclear") return this.#fallBack(revision, outcome.error);
    const chosen = chooseRevision(outcome.offered, this.#plan.supported);
    if (chosen.opening === "handshake") return this.#initialize(chosen);
    return outcome.kind === "offers" ? this.#agree(chosen, outcome.result) : this.#discover(chosen);
  }

  /**
   * Sends `initialize` while the probe is still open: the first answer that can be used counts.
   *
   * A server that is slow to start finds both requests, and answers them in order.
   */
  async #race(revision: Revision, discovery: Promise<DiscoveryOutcome>): Promise<Agreement> {
    const handshake = toOutcome(this.#initialize(this.#offers[0]));
    const first = await Promise.race([handshake, discovery]);
    if (first.kind === "offers" || first.kind === "wants") return this.#returnTo(first, handshake);
    if (first.kind === "refuses") throw first.error;
    const opened = first.kind === "unclear" ? await handshake : first;
    if (opened.kind === "agreed") return opened.agreement;
    // The server may only have been slow to start: now that it answers, ask again.
    if (!(opened.refusal instanceof RpcError)) throw opened.refusal;
    return this.#discover(revision);
  }

  /**
   * Continues with the revision that the probe found.
   *
   * It needs a new channel: a server may take `initialize` as the choice of an older
   * revision for the whole connection. basic/versioning#compatibility-matrix (2026-07-28)
   * Without the time for another start, the older revision on the open channel is kept.
   */
  async #returnTo(found: Discovered, handshake: Promise<HandshakeOutcome>): Promise<Agreement> {
    const chosen = chooseRevision(found.offered, this.#plan.supported);
    const isNewer = chosen.opening === "each-request";
    if (!isNewer || !this.#canStartAgain()) {
      const opened = await handshake;
      if (opened.kind === "agreed") return opened.agreement;
      if (!isNewer) throw opened.refusal;
    }
    await this.startOver();
    return this.#discover(chosen);
  }

  /** True if a new channel would most likely answer before the time is over. */
  #canStartAgain(): boolean {
    const spentMs = performance.now() - this.#begunAt;
    return this.#plan.openMs - spentMs >= spentMs * restartFactor;
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
      // The probe met something before the server; now that the server answers, ask again.
      if (!isUnreached(error) || !(refusal instanceof RpcError)) throw refusal;
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
    if (chosen) return this.#agree(chosen, result, offer);
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

  #agree(revision: Revision, result: JsonObject, declaredIn: Revision = revision): Agreement {
    const attempt = this.#attempt;
    if (attempt === undefined) throw new InvalidResponseError("The connection is not open.");
    const server = describeServer(result, revision.version);
    return { channel: attempt.agree(), revision, declaredIn, server };
  }
}

type HandshakeOutcome =
  | { readonly kind: "agreed"; readonly agreement: Agreement }
  | { readonly kind: "refused"; readonly refusal: unknown };

function toOutcome(handshake: Promise<Agreement>): Promise<HandshakeOutcome> {
  return handshake.then(
    (agreement) => ({ kind: "agreed", agreement }),
    (refusal: unknown) => ({ kind: "refused", refusal }),
  );
}

/** True when a request did not reach the MCP server, so that it proves nothing about its revision. */
function isUnreached(error: Error): boolean {
  return error instanceof HttpError || error instanceof CallLostError;
}
