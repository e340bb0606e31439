import type { AuthorizationServer } from "oauth4webapi";
import type { AccessChallenge } from "../discovery/access-challenge.ts";
import {
  type AuthorizationRequirements,
  discoverRequirements,
  isSameIssuer,
  toCanonicalServerUri,
} from "../discovery/authorization-requirements.ts";
import {
  discoverAuthorizationServer,
  discoverDefaultAuthorizationServer,
} from "../discovery/authorization-server-metadata.ts";
import type { FetchContext } from "../discovery/fetch-metadata.ts";
import type { PreregisteredClient } from "../identity/client-information.ts";
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
  /** The only authorization server to use. */
  readonly issuer: string | undefined;
  /** The preregistered client, if there is one. */
  readonly client: PreregisteredClient | undefined;
}

type StepUps = ActiveTokens["stepUps"];

interface TokenNeeds {
  readonly challenge: AccessChallenge;
  /** The scopes that were requested before. */
  readonly before: readonly string[] | undefined;
  readonly stepUps: StepUps | undefined;
}

/** Thrown when new tokens could not be stored, with the tokens, which nothing else holds. */
class UnsavedTokens extends Error {
  readonly active: ActiveTokens;
  /** The access token that a refresh replaces. */
  readonly replaced: string | undefined;

  constructor(active: ActiveTokens, replaced: string | undefined, options: ErrorOptions) {
    super("The new tokens could not be stored.", options);
    this.active = active;
    this.replaced = replaced;
  }
}

/** Loads, refreshes and obtains the tokens for one server, and keeps them in the credential store. */
export class TokenKeeper {
  readonly #options: TokenKeeperOptions;
  /** Tokens that the store did not take. */
  #unsaved: UnsavedTokens | undefined;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
  }

  get trace(): AuthTrace {
    return this.#options.trace;
  }

  /** The tokens in the store. */
  async load(): Promise<ActiveTokens | undefined> {
    const tokens = await this.#stored();
    if (tokens) this.trace.add("stored-token", "ok", { detail: `from ${tokens.issuer}` });
    return tokens && new ActiveTokens(tokens, "stored");
  }

  /** Refreshes expired tokens; undefined when the authorization server refuses. */
  async refresh(stale: ActiveTokens): Promise<ActiveTokens | undefined> {
    const { issuer } = stale.tokens;
    const context = this.#context(new AbortController().signal);
    const { url } = this.#options;
    const server = await (issuer === url.origin
      ? discoverDefaultAuthorizationServer(url, context)
      : discoverAuthorizationServer(issuer, context));
    return this.#refresh(server, stale.tokens, stale.stepUps);
  }

  /** Obtains tokens after the server refused the current ones: from the store, by a refresh, or by the grant. */
  async recover(
    challenge: AccessChallenge,
    used: ActiveTokens | undefined,
    signal: AbortSignal,
  ): Promise<ActiveTokens> {
    return this.#exclusively(signal, async () => {
      const target = await this.#target(challenge, used, signal);
      const stored = await this.#storedFor(target, used);
      if (stored && isNewerThanUsed(stored, used) && !isTokenExpired(stored))
        return new ActiveTokens(stored, "stored");
      const refreshedInVain = used?.origin === "refreshed" && !used.isAccepted;
      if (stored?.refreshToken !== undefined && !refreshedInVain) {
        const renewed = await this.#refresh(target.server, stored, used?.stepUps);
        if (renewed) return renewed;
      }
      return this.#obtain(target, { challenge, before: stored?.scopes, stepUps: used?.stepUps }, signal);
    });
  }

  /** Obtains tokens with the scopes of the challenge in addition to the current ones. */
  async stepUp(
    challenge: AccessChallenge,
    used: ActiveTokens | undefined,
    stepUps: StepUps,
    signal: AbortSignal,
  ): Promise<ActiveTokens> {
    return this.#exclusively(signal, async () => {
      const target = await this.#target(challenge, used, signal);
      const stored = await this.#storedFor(target, used);
      const covers = challenge.scopes?.every((scope) => stored?.scopes?.includes(scope));
      if (stored && covers && isNewerThanUsed(stored, used) && !isTokenExpired(stored))
        return new ActiveTokens(stored, "stored", stepUps);
      this.trace.add("step-up", "ok", { detail: challenge.scopes?.join(" ") ?? "" });
      return this.#obtain(target, { challenge, before: stored?.scopes, stepUps }, signal);
    });
  }

  /** Deletes the tokens for the server. */
  async forget(): Promise<void> {
    const { store } = this.#options;
    const binding = await this.#binding();
    if (binding) await store.delete(tokensKey(binding));
    await store.delete(this.#key("server"));
  }

  async #obtain(
    target: AuthorizationRequirements,
    needs: TokenNeeds,
    signal: AbortSignal,
  ): Promise<ActiveTokens> {
    const { challenge, before, stepUps } = needs;
    const tokens = await obtainTokens(target, challenge, before, { ...this.#options, signal });
    return this.#save(new ActiveTokens(tokens, "issued", stepUps));
  }

  /**
   * Refreshes the same tokens one at a time among all users of the store: a rotating refresh token
   * works once, and its second use looks like theft.
   */
  #refresh(
    server: AuthorizationServer,
    stale: StoredTokens,
    stepUps: StepUps | undefined,
  ): Promise<ActiveTokens | undefined> {
    const { store, registry } = this.#options;
    const key = tokensKey(stale);
    return this.#locked(key, undefined, async () => {
      const stored = (await readStored<StoredTokens>(store, key)) ?? stale;
      if (stored.accessToken !== stale.accessToken && !isTokenExpired(stored))
        return new ActiveTokens(stored, "stored", stepUps);
      try {
        const tokens = await refreshTokens(server, stored, {
          ...this.#options,
          signal: new AbortController().signal,
        });
        return await this.#save(new ActiveTokens(tokens, "refreshed", stepUps), stored.accessToken);
      } catch (error) {
        if (!(error instanceof TokenRequestError)) throw error;
        const now = await readStored<StoredTokens>(store, key);
        if (now && now.accessToken !== stored.accessToken) return new ActiveTokens(now, "stored", stepUps);
        if (error.error === "invalid_client" && stored.source === "registration")
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
    const { url, issuer: required, client } = this.#options;
    const preferred = [client?.issuer, used?.tokens.issuer];
    return discoverRequirements(url, challenge, { required, preferred }, this.#context(signal));
  }

  /** The stored tokens, if they are of this authorization server and for this resource; no others may be sent there. */
  async #storedFor(
    target: AuthorizationRequirements,
    used: ActiveTokens | undefined,
  ): Promise<StoredTokens | undefined> {
    const tokens = (await this.#stored()) ?? used?.tokens;
    const isForTarget = tokens?.issuer === target.server.issuer && tokens.resource === target.resource;
    return isForTarget ? tokens : undefined;
  }

  async #stored(): Promise<StoredTokens | undefined> {
    const binding = await this.#binding();
    const tokens = binding && (await readStored<StoredTokens>(this.#options.store, tokensKey(binding)));
    if (typeof tokens?.accessToken !== "string") return undefined;
    const { issuer, dpop } = this.#options;
    // They may have been stored before a key, or another issuer, was required.
    if (dpop === true && tokens.tokenType !== "dpop") return undefined;
    return issuer === undefined || isSameIssuer(tokens.issuer, issuer) ? tokens : undefined;
  }

  #binding(): Promise<TokenBinding | undefined> {
    return readStored<TokenBinding>(this.#options.store, this.#key("server"));
  }

  async #save(active: ActiveTokens, replaced?: string): Promise<ActiveTokens> {
    try {
      await this.#write(active.tokens);
      return active;
    } catch (cause) {
      throw new UnsavedTokens(active, replaced, { cause });
    }
  }

  /** Stores tokens under a new lock, unless another user of the store has refreshed the same ones meanwhile. */
  async #saveAgain({ active, replaced }: UnsavedTokens): Promise<ActiveTokens> {
    const { accessToken } = active.tokens;
    const now = await readStored<StoredTokens>(this.#options.store, tokensKey(active.tokens));
    const isOthers = now !== undefined && now.accessToken !== replaced && now.accessToken !== accessToken;
    if (replaced !== undefined && isOthers && !isTokenExpired(now))
      return new ActiveTokens(now, "stored", active.stepUps);
    await this.#write(active.tokens);
    return active;
  }

  async #write(tokens: StoredTokens): Promise<void> {
    const { store } = this.#options;
    const { issuer, resource, clientId, grant } = tokens;
    await store.set(tokensKey(tokens), JSON.stringify(tokens));
    await store.set(this.#key("server"), JSON.stringify({ issuer, resource, clientId, grant }));
  }

  #exclusively(signal: AbortSignal, work: () => Promise<ActiveTokens>): Promise<ActiveTokens> {
    return this.#locked(this.#key("login"), signal, work);
  }

  /**
   * Runs work under a lock of the store, and stores its tokens under a new lock if that fails once.
   *
   * A process that is stopped while it waits for tokens loses its lock. The tokens must not be lost with it: the
   * refresh token before them works no more.
   */
  async #locked<T>(
    name: string,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T | ActiveTokens> {
    const { store } = this.#options;
    const saveAndWork = async () => {
      await this.#saveUnsaved();
      return work();
    };
    try {
      return await store.exclusive(name, saveAndWork, signal);
    } catch (error) {
      if (!(error instanceof UnsavedTokens)) throw error;
      return this.#saveOrHold(name, error);
    }
  }

  /** Stores tokens, or holds them until the store works again: they are good, and nothing else has them. */
  async #saveOrHold(name: string, unsaved: UnsavedTokens): Promise<ActiveTokens> {
    try {
      return await this.#options.store.exclusive(name, () => this.#saveAgain(unsaved));
    } catch (error) {
      this.#unsaved = unsaved;
      this.trace.add("store", "failed", { detail: String(error) });
      return unsaved.active;
    }
  }

  /** Stores what is held before anything is read: the refresh token in the store is spent. */
  async #saveUnsaved(): Promise<void> {
    const unsaved = this.#unsaved;
    if (unsaved === undefined) return;
    await this.#saveAgain(unsaved);
    this.#unsaved = undefined;
  }

  /** A store key of this server, grant and client: others that share the store keep their own tokens. */
  #key(kind: string): string {
    const { url, grant, client } = this.#options;
    return storeKey(kind, toCanonicalServerUri(url), grant.types[0], client?.id ?? "");
  }

  #context(signal: AbortSignal): FetchContext {
    const { fetch, trace } = this.#options;
    return { fetch, trace, signal };
  }
}

function isNewerThanUsed(stored: StoredTokens, used: ActiveTokens | undefined): boolean {
  return stored.accessToken !== used?.tokens.accessToken;
}
