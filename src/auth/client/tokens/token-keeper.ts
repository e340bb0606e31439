import type { AuthorizationServer } from "oauth4webapi";
import type { AccessChallenge } from "../discovery/access-challenge.ts";
import {
  type AuthorizationRequirements,
  discoverRequirements,
  toCanonicalServerUri,
} from "../discovery/authorization-requirements.ts";
import {
  discoverAuthorizationServer,
  discoverDefaultAuthorizationServer,
} from "../discovery/authorization-server-metadata.ts";
import type { FetchContext } from "../discovery/fetch-metadata.ts";
import type { AuthTrace } from "../trace.ts";
import { ActiveTokens } from "./active-tokens.ts";
import { type ObtainTokensOptions, obtainTokens } from "./obtain-tokens.ts";
import { refreshTokens } from "./refresh-tokens.ts";
import {
  isTokenExpired,
  readStored,
  type StoredTokens,
  storeKey,
  type TokenBinding,
  tokensKey,
} from "./stored-tokens.ts";
import { TokenRequestError } from "./token-endpoint.ts";

export interface TokenKeeperOptions extends Omit<ObtainTokensOptions, "signal"> {
  readonly url: URL;
  /** The authorization server to choose, where the server names several. */
  readonly issuer: string | undefined;
  /** The client that the host gave, if it did. */
  readonly clientId: string | undefined;
}

type StepUps = ActiveTokens["stepUps"];

interface Needs {
  readonly challenge: AccessChallenge;
  /** The scopes that were asked for before. */
  readonly before: readonly string[] | undefined;
  readonly stepUps: StepUps | undefined;
}

/** Keeps the credentials for one server in the store, and sees to it that they are renewed once and lost never. */
export class TokenKeeper {
  readonly #parts: TokenKeeperOptions;

  constructor(parts: TokenKeeperOptions) {
    this.#parts = parts;
  }

  get trace(): AuthTrace {
    return this.#parts.trace;
  }

  /** What was kept from before. */
  async load(): Promise<ActiveTokens | undefined> {
    const tokens = await this.#stored();
    if (tokens) this.trace.add("stored-token", "ok", { detail: `from ${tokens.issuer}` });
    return tokens && new ActiveTokens(tokens, "stored");
  }

  /** Exchanges tokens that have ended for new ones; undefined when that is refused. */
  async refresh(stale: ActiveTokens): Promise<ActiveTokens | undefined> {
    const { issuer } = stale.tokens;
    const discovery = this.#discovery(new AbortController().signal);
    const { url } = this.#parts;
    const server = await (issuer === url.origin
      ? discoverDefaultAuthorizationServer(url, discovery)
      : discoverAuthorizationServer(issuer, discovery));
    return this.#refresh(server, stale.tokens, stale.stepUps);
  }

  /** Finds a way back in after the server refused what it was shown. */
  async recover(
    challenge: AccessChallenge,
    used: ActiveTokens | undefined,
    signal: AbortSignal,
  ): Promise<ActiveTokens> {
    return this.#alone(signal, async () => {
      const target = await this.#target(challenge, used, signal);
      const kept = await this.#keptFor(target, used);
      if (kept && isNews(kept, used) && !isTokenExpired(kept)) return new ActiveTokens(kept, "stored");
      const refreshedInVain = used?.origin === "refreshed" && !used.isAccepted;
      if (kept?.refreshToken !== undefined && !refreshedInVain) {
        const renewed = await this.#refresh(target.server, kept, used?.stepUps);
        if (renewed) return renewed;
      }
      return this.#obtain(target, { challenge, before: kept?.scopes, stepUps: used?.stepUps }, signal);
    });
  }

  /** Obtains tokens with the scopes of the challenge beside those that there are. */
  async stepUp(
    challenge: AccessChallenge,
    used: ActiveTokens | undefined,
    stepUps: StepUps,
    signal: AbortSignal,
  ): Promise<ActiveTokens> {
    return this.#alone(signal, async () => {
      const target = await this.#target(challenge, used, signal);
      const kept = await this.#keptFor(target, used);
      const covers = challenge.scopes?.every((scope) => kept?.scopes?.includes(scope));
      if (kept && covers && isNews(kept, used) && !isTokenExpired(kept))
        return new ActiveTokens(kept, "stored", stepUps);
      this.trace.add("step-up", "ok", { detail: challenge.scopes?.join(" ") ?? "" });
      return this.#obtain(target, { challenge, before: kept?.scopes, stepUps }, signal);
    });
  }

  /** Throws away the tokens for the server. */
  async forget(): Promise<void> {
    const { store } = this.#parts;
    const binding = await this.#binding();
    if (binding) await store.delete(tokensKey(binding));
    await store.delete(this.#key("server"));
  }

  async #obtain(target: AuthorizationRequirements, needs: Needs, signal: AbortSignal): Promise<ActiveTokens> {
    const { challenge, before, stepUps } = needs;
    const tokens = await obtainTokens(target, challenge, before, { ...this.#parts, signal });
    await this.#keep(tokens);
    return new ActiveTokens(tokens, "issued", stepUps);
  }

  /**
   * One at a time for the same tokens, whoever shares the store: a refresh token that rotates
   * works once, and a second use of it looks like theft.
   */
  #refresh(
    server: AuthorizationServer,
    stale: StoredTokens,
    stepUps: StepUps | undefined,
  ): Promise<ActiveTokens | undefined> {
    const { store, registry } = this.#parts;
    const key = tokensKey(stale);
    return store.exclusive(key, async () => {
      const kept = (await readStored<StoredTokens>(store, key)) ?? stale;
      if (kept.accessToken !== stale.accessToken && !isTokenExpired(kept))
        return new ActiveTokens(kept, "stored", stepUps);
      try {
        const tokens = await refreshTokens(server, kept, {
          ...this.#parts,
          signal: new AbortController().signal,
        });
        await this.#keep(tokens);
        return new ActiveTokens(tokens, "refreshed", stepUps);
      } catch (error) {
        if (!(error instanceof TokenRequestError)) throw error;
        const now = await readStored<StoredTokens>(store, key);
        if (now && now.accessToken !== kept.accessToken) return new ActiveTokens(now, "stored", stepUps);
        if (error.error === "invalid_client" && kept.source === "registration")
          await registry.forget(server.issuer);
        await store.delete(key);
        return undefined;
      }
    });
  }

  #target(
    challenge: AccessChallenge,
    used: ActiveTokens | undefined,
    signal: AbortSignal,
  ): Promise<AuthorizationRequirements> {
    const { url, issuer } = this.#parts;
    return discoverRequirements(url, challenge, [issuer, used?.tokens.issuer], this.#discovery(signal));
  }

  /** What there is from the very authorization server, for the very resource: nothing else may be shown to it. */
  async #keptFor(
    target: AuthorizationRequirements,
    used: ActiveTokens | undefined,
  ): Promise<StoredTokens | undefined> {
    const tokens = (await this.#stored()) ?? used?.tokens;
    const isForTarget = tokens?.issuer === target.server.issuer && tokens.resource === target.resource;
    return isForTarget ? tokens : undefined;
  }

  async #stored(): Promise<StoredTokens | undefined> {
    const binding = await this.#binding();
    const tokens = binding && (await readStored<StoredTokens>(this.#parts.store, tokensKey(binding)));
    return typeof tokens?.accessToken === "string" ? tokens : undefined;
  }

  #binding(): Promise<TokenBinding | undefined> {
    return readStored<TokenBinding>(this.#parts.store, this.#key("server"));
  }

  async #keep(tokens: StoredTokens): Promise<void> {
    const { store } = this.#parts;
    const { issuer, resource, clientId, grant } = tokens;
    await store.set(tokensKey(tokens), JSON.stringify(tokens));
    await store.set(this.#key("server"), JSON.stringify({ issuer, resource, clientId, grant }));
  }

  #alone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#parts.store.exclusive(this.#key("login"), work, signal);
  }

  /** Those who come as another client, or in another way, share the store and nothing else. */
  #key(kind: string): string {
    const { url, grant, clientId = "" } = this.#parts;
    return storeKey(kind, toCanonicalServerUri(url), grant.types[0], clientId);
  }

  #discovery(signal: AbortSignal): FetchContext {
    const { fetch, trace } = this.#parts;
    return { fetch, trace, signal };
  }
}

function isNews(kept: StoredTokens, used: ActiveTokens | undefined): boolean {
  return kept.accessToken !== used?.tokens.accessToken;
}
