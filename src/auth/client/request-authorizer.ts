import type { AuthRequest } from "../../contract/http-auth.ts";
import { AuthorizationError, InsufficientScopeError } from "../../errors.ts";
import { toAsciiLine } from "../ascii-line.ts";
import { type AccessChallenge, readAccessChallenge } from "./discovery/access-challenge.ts";
import type { ActiveTokens } from "./tokens/active-tokens.ts";
import { unionScopes } from "./tokens/scope-selection.ts";
import type { SharedTokens } from "./tokens/shared-tokens.ts";

type HeaderRecord = Readonly<Record<string, string>>;

const maxStepUps = 2;
// A nonce, a refresh, a login and the step-ups; a server that refuses more will never accept.
const maxAttempts = 6;

/** Authorizes the requests to one server, and obtains new tokens when the server refuses them. */
export class RequestAuthorizer {
  readonly #tokens: SharedTokens;
  readonly #used = new WeakMap<AuthRequest, ActiveTokens>();

  constructor(tokens: SharedTokens) {
    this.#tokens = tokens;
  }

  authorize(request: AuthRequest): HeaderRecord | Promise<HeaderRecord> {
    const { current } = this.#tokens;
    if (current === undefined || current.isExpired) return this.#authorize(request);
    this.#used.set(request, current);
    return current.prover ? current.prove(request) : current.headers;
  }

  onResponse(response: Response, request: AuthRequest): "retry" | "keep" | Promise<"retry" | "keep"> {
    const used = this.#used.get(request);
    used?.prover?.readNonce(response.headers);
    const { status } = response;
    if (status !== 401 && used) used.isAccepted = true;
    if (status !== 401 && status !== 403) return "keep";
    const challenge = { ...readAccessChallenge(response.headers), revision: request.revision };
    const needsScopes = challenge.error === "insufficient_scope";
    if (status === 403 && !needsScopes) return "keep";
    return this.#onRefused(challenge, request, used);
  }

  async #authorize(request: AuthRequest): Promise<HeaderRecord> {
    const current = await this.#tokens.load(request.signal);
    if (current === undefined) return {};
    this.#used.set(request, current);
    return current.prove(request);
  }

  async #onRefused(
    challenge: AccessChallenge,
    request: AuthRequest,
    used: ActiveTokens | undefined,
  ): Promise<"retry"> {
    const { hops } = this.#tokens.trace;
    if (request.attempt >= maxAttempts)
      throw new AuthorizationError("The server refuses every token that it is sent.", "refused", { hops });
    // The refusal carried the nonce that the next proof must hold.
    if (challenge.error === "use_dpop_nonce" && used?.prover) return "retry";
    if (used !== this.#tokens.current) return "retry";
    if (challenge.error === "insufficient_scope") await this.#stepUp(challenge, request, used);
    else await this.#recover(challenge, request, used);
    return "retry";
  }

  async #recover(
    challenge: AccessChallenge,
    request: AuthRequest,
    used: ActiveTokens | undefined,
  ): Promise<void> {
    if (used?.origin === "issued" && !used.isAccepted) {
      const { hops } = this.#tokens.trace;
      throw new AuthorizationError("The server refuses a token that was just issued for it.", "refused", {
        hops,
      });
    }
    await this.#tokens.recover(challenge, used, request.signal);
  }

  /**
   * Obtains tokens with the scopes of the challenge in addition to the earlier ones.
   *
   * basic/authorization#step-up-authorization-flow (2025-11-25)
   */
  async #stepUp(
    challenge: AccessChallenge,
    request: AuthRequest,
    used: ActiveTokens | undefined,
  ): Promise<void> {
    const needed = challenge.scopes ?? [];
    const name = [...needed].sort().join(" ");
    const tries = used?.stepUps.get(name) ?? 0;
    if (tries >= maxStepUps || request.attempt > maxStepUps) {
      this.#tokens.trace.add("step-up", "refused", { detail: name });
      throw new InsufficientScopeError(
        `The server requires the scopes ${toAsciiLine(unionScopes(needed).join(" ")) || "(none named)"}, which the authorization server does not grant.`,
        needed,
      );
    }
    const stepUps = new Map(used?.stepUps).set(name, tries + 1);
    await this.#tokens.stepUp(challenge, used, stepUps, request.signal);
  }
}
