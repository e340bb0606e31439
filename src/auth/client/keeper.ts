import type { AuthorizationServer } from "oauth4webapi";
import type { AccessChallenge } from "./challenge.ts";
import { Credentials, isExpired } from "./credentials.ts";
import type { Discovery } from "./fetch-metadata.ts";
import { type Obtaining, obtain } from "./obtain.ts";
import { refresh } from "./refresh.ts";
import { discoverOwnServer, discoverServer } from "./server-metadata.ts";
import { readStored, type StoredBinding, type StoredTokens, storeKey, tokensKey } from "./stored.ts";
import { type AuthTarget, canonical, discoverTarget } from "./target.ts";
import { TokenRefused } from "./token-endpoint.ts";
import type { Trace } from "./trace.ts";

export interface KeeperParts extends Omit<Obtaining, "signal"> {
  readonly url: URL;
  /** The authorization server to choose, where the server names several. */
  readonly issuer: string | undefined;
  /** The client that the host gave, if it did. */
  readonly clientId: string | undefined;
}

type StepUps = Credentials["stepUps"];

interface Needs {
  readonly challenge: AccessChallenge;
  /** The scopes that were asked for before. */
  readonly before: readonly string[] | undefined;
  readonly stepUps: StepUps | undefined;
}

/** Keeps the credentials for one server in the store, and sees to it that they are renewed once and lost never. */
export class Keeper {
  readonly #parts: KeeperParts;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  get trace(): Trace {
    return this.#parts.trace;
  }

  /** What was kept from before. */
  async load(): Promise<Credentials | undefined> {
    const tokens = await this.#stored();
    if (tokens) this.trace.add("stored-token", "ok", { detail: `from ${tokens.issuer}` });
    return tokens && new Credentials(tokens, "stored");
  }

  /** Exchanges tokens that have ended for new ones; undefined when that is refused. */
  async refresh(stale: Credentials): Promise<Credentials | undefined> {
    const { issuer } = stale.tokens;
    const discovery = this.#discovery(new AbortController().signal);
    const { url } = this.#parts;
    const server = await (issuer === url.origin
      ? discoverOwnServer(url, discovery)
      : discoverServer(issuer, discovery));
    return this.#refresh(server, stale.tokens, stale.stepUps);
  }

  /** Finds a way back in after the server refused what it was shown. */
  async recover(
    challenge: AccessChallenge,
    used: Credentials | undefined,
    signal: AbortSignal,
  ): Promise<Credentials> {
    return this.#alone(signal, async () => {
      const target = await this.#target(challenge, used, signal);
      const kept = await this.#keptFor(target, used);
      if (kept && isNews(kept, used) && !isExpired(kept)) return new Credentials(kept, "stored");
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
    used: Credentials | undefined,
    stepUps: StepUps,
    signal: AbortSignal,
  ): Promise<Credentials> {
    return this.#alone(signal, async () => {
      const target = await this.#target(challenge, used, signal);
      const kept = await this.#keptFor(target, used);
      const covers = challenge.scopes?.every((scope) => kept?.scopes?.includes(scope));
      if (kept && covers && isNews(kept, used) && !isExpired(kept))
        return new Credentials(kept, "stored", stepUps);
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

  async #obtain(target: AuthTarget, needs: Needs, signal: AbortSignal): Promise<Credentials> {
    const { challenge, before, stepUps } = needs;
    const tokens = await obtain(target, challenge, before, { ...this.#parts, signal });
    await this.#keep(tokens);
    return new Credentials(tokens, "issued", stepUps);
  }

  /**
   * One at a time for the same tokens, whoever shares the store: a refresh token that rotates
   * works once, and a second use of it looks like theft.
   */
  #refresh(
    server: AuthorizationServer,
    stale: StoredTokens,
    stepUps: StepUps | undefined,
  ): Promise<Credentials | undefined> {
    const { store, registry } = this.#parts;
    const key = tokensKey(stale);
    return store.exclusive(key, async () => {
      const kept = (await readStored<StoredTokens>(store, key)) ?? stale;
      if (kept.accessToken !== stale.accessToken && !isExpired(kept))
        return new Credentials(kept, "stored", stepUps);
      try {
        const tokens = await refresh(server, kept, {
          ...this.#parts,
          signal: new AbortController().signal,
        });
        await this.#keep(tokens);
        return new Credentials(tokens, "refreshed", stepUps);
      } catch (error) {
        if (!(error instanceof TokenRefused)) throw error;
        const now = await readStored<StoredTokens>(store, key);
        if (now && now.accessToken !== kept.accessToken) return new Credentials(now, "stored", stepUps);
        if (error.error === "invalid_client" && kept.source === "registration")
          await registry.forget(server.issuer);
        await store.delete(key);
        return undefined;
      }
    });
  }

  #target(
    challenge: AccessChallenge,
    used: Credentials | undefined,
    signal: AbortSignal,
  ): Promise<AuthTarget> {
    const { url, issuer } = this.#parts;
    return discoverTarget(url, challenge, [issuer, used?.tokens.issuer], this.#discovery(signal));
  }

  /** What there is from the very authorization server, for the very resource: nothing else may be shown to it. */
  async #keptFor(target: AuthTarget, used: Credentials | undefined): Promise<StoredTokens | undefined> {
    const tokens = (await this.#stored()) ?? used?.tokens;
    const isForTarget = tokens?.issuer === target.server.issuer && tokens.resource === target.resource;
    return isForTarget ? tokens : undefined;
  }

  async #stored(): Promise<StoredTokens | undefined> {
    const binding = await this.#binding();
    const tokens = binding && (await readStored<StoredTokens>(this.#parts.store, tokensKey(binding)));
    return typeof tokens?.accessToken === "string" ? tokens : undefined;
  }

  #binding(): Promise<StoredBinding | undefined> {
    return readStored<StoredBinding>(this.#parts.store, this.#key("server"));
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
    return storeKey(kind, canonical(url), grant.types[0], clientId);
  }

  #discovery(signal: AbortSignal): Discovery {
    const { fetch, trace } = this.#parts;
    return { fetch, trace, signal };
  }
}

function isNews(kept: StoredTokens, used: Credentials | undefined): boolean {
  return kept.accessToken !== used?.tokens.accessToken;
}
