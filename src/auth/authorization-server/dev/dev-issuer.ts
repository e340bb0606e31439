import type { JSONWebKeySet } from "jose";
import { UsageError } from "../../../errors.ts";
import { memoryState } from "../../../state/memory/memory-state.ts";
import type { RegisteredClient } from "../clients/client-metadata.ts";
import { ClientMetadataDocuments } from "../clients/client-metadata-document.ts";
import { createIssuer, type Issuer } from "../issuer.ts";
import { SigningKeys } from "../tokens/signing-keys.ts";
import type { DevAuthOptions, DevClient, DevUser } from "./options.ts";

/** A development issuer: it has users of its own. */
export interface DevIssuer extends Issuer {
  readonly options: DevAuthOptions;
  readonly users: readonly DevUser[];
}

const openidScopes = ["openid", "profile", "email", "offline_access"];
const daySeconds = 24 * 60 * 60;

export async function createDevIssuer(url: string, options: DevAuthOptions): Promise<DevIssuer> {
  const users = options.users ?? [{ subject: "dev", name: "Developer" }];
  assertApprover(options, users);
  const hasDocuments = options.clientMetadataDocuments !== false;
  const issuer = createIssuer({
    url,
    scopes: [...new Set([...(options.scopes ?? []), ...openidScopes])],
    audiences: { allowed: options.resources, fallback: options.resources?.[0] ?? url },
    keys: await SigningKeys.generate(options.signingAlgorithm ?? "ES256"),
    values: memoryState({ maxValues: 100_000 }).values,
    accessSeconds: options.accessTokenSeconds ?? 300,
    format: options.tokenFormat ?? "jwt",
    clients: {
      known: options.clients?.map(toRegistered) ?? [],
      documents: hasDocuments ? new ClientMetadataDocuments({ allowLoopback: true }) : undefined,
      unusedMs: daySeconds * 1000,
      usedMs: 30 * daySeconds * 1000,
    },
  });
  return { ...issuer, options, users };
}

export function refreshTokenMs({ options }: DevIssuer): number {
  return (options.refreshTokenSeconds ?? daySeconds) * 1000;
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
