import type { JSONWebKeySet } from "jose";
import { UsageError } from "../../../errors.ts";
import { memoryState } from "../../../state/memory/memory-state.ts";
import type { ValueStore } from "../../../state/state.ts";
import { createDocumentFetch } from "../../fetch/document-fetch.ts";
import type { RegisteredClient } from "../clients/client-metadata.ts";
import { ClientMetadataDocuments } from "../clients/client-metadata-document.ts";
import { ClientStore } from "../clients/client-store.ts";
import type { Audiences } from "../tokens/audience.ts";
import { GrantStore } from "../tokens/grant-store.ts";
import { SigningKeys } from "../tokens/signing-keys.ts";
import { TokenIssuer } from "../tokens/token-issuer.ts";
import type { DevAuthOptions, DevClient, DevUser } from "./options.ts";

/** The parts of a development issuer, which its endpoints share. */
export interface DevIssuer {
  readonly url: string;
  readonly options: DevAuthOptions;
  readonly scopes: readonly string[];
  readonly users: readonly DevUser[];
  readonly audiences: Audiences;
  readonly keys: SigningKeys;
  readonly values: ValueStore;
  readonly clients: ClientStore;
  readonly grants: GrantStore;
  readonly tokenIssuer: TokenIssuer;
}

const openidScopes = ["openid", "profile", "email", "offline_access"];
const day = 24 * 60 * 60;

export async function createDevIssuer(url: string, options: DevAuthOptions): Promise<DevIssuer> {
  const users = options.users ?? [{ subject: "dev", name: "Developer" }];
  assertApprover(options, users);
  const { values } = memoryState({ maxValues: 100_000 });
  const keys = await SigningKeys.generate(options.signingAlgorithm ?? "ES256");
  const grants = new GrantStore(values);
  return {
    url,
    options,
    scopes: [...new Set([...(options.scopes ?? []), ...openidScopes])],
    users,
    audiences: { allowed: options.resources, fallback: options.resources?.[0] ?? url },
    keys,
    values,
    clients: new ClientStore({
      values,
      known: options.clients?.map(toRegistered) ?? [],
      documents: options.clientMetadataDocuments === false ? undefined : localDocuments(),
      unusedMs: day * 1000,
      usedMs: 30 * day * 1000,
    }),
    grants,
    tokenIssuer: new TokenIssuer({
      issuer: url,
      keys,
      grants,
      values,
      accessSeconds: options.accessTokenSeconds ?? 300,
      format: options.tokenFormat ?? "jwt",
    }),
  };
}

export function refreshTokenMs({ options }: DevIssuer): number {
  return (options.refreshTokenSeconds ?? day) * 1000;
}

/** Who says yes without being asked; undefined when a user must be. */
export function findAutoApprover({ options, users }: DevIssuer): DevUser | undefined {
  const { autoApprove = false } = options;
  if (autoApprove === false) return undefined;
  return autoApprove === true ? users[0] : users.find(({ subject }) => subject === autoApprove);
}

function localDocuments(): ClientMetadataDocuments {
  return new ClientMetadataDocuments({ fetch: createDocumentFetch(true), allowLoopback: true });
}

function toRegistered(client: DevClient): RegisteredClient {
  const { client_secret, redirect_uris = [], jwks } = client;
  const method = client_secret === undefined ? "none" : "client_secret_basic";
  return {
    ...client,
    redirect_uris,
    grant_types: client.grant_types ?? ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: client.token_endpoint_auth_method ?? (jwks ? "private_key_jwt" : method),
    ...(jwks && { jwks: jwks as unknown as JSONWebKeySet }),
  } as RegisteredClient;
}

function assertApprover({ autoApprove }: DevAuthOptions, users: readonly DevUser[]): void {
  if (typeof autoApprove !== "string" || users.some(({ subject }) => subject === autoApprove)) return;
  throw new UsageError(`autoApprove: there is no user ${JSON.stringify(autoApprove)}; add it to users.`);
}
