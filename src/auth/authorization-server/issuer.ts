import type { ValueStore } from "../../state/state.ts";
import { ClientStore, type ClientStoreOptions } from "./clients/client-store.ts";
import type { Audiences } from "./tokens/audience.ts";
import { GrantStore } from "./tokens/grant-store.ts";
import type { SigningKeys } from "./tokens/signing-keys.ts";
import { TokenIssuer, type TokenIssuerOptions } from "./tokens/token-issuer.ts";

/** An issuer's stores and keys, which its endpoints share. */
export interface Issuer {
  readonly url: string;
  readonly scopes: readonly string[];
  readonly audiences: Audiences;
  readonly keys: SigningKeys;
  readonly values: ValueStore;
  readonly clients: ClientStore;
  readonly grants: GrantStore;
  readonly tokenIssuer: TokenIssuer;
}

export interface IssuerOptions
  extends Pick<Issuer, "url" | "scopes" | "audiences" | "keys" | "values">,
    Pick<TokenIssuerOptions, "accessSeconds" | "format"> {
  readonly clients: Omit<ClientStoreOptions, "values">;
}

export function createIssuer(options: IssuerOptions): Issuer {
  const { url, scopes, audiences, keys, values, accessSeconds, format } = options;
  const grants = new GrantStore(values);
  return {
    url,
    scopes,
    audiences,
    keys,
    values,
    grants,
    clients: new ClientStore({ ...options.clients, values }),
    tokenIssuer: new TokenIssuer({ issuer: url, keys, grants, values, accessSeconds, format }),
  };
}
