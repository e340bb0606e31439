// An authorization server: oidc-provider, with one client that acts for itself and two scopes.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

export const client = { client_id: "reporter", client_secret: "only-for-this-example" };

export interface RunningProvider {
  readonly issuer: string;
  close(): void;
}

export async function startProvider(): Promise<RunningProvider> {
  const http = createServer();
  await once(http.listen(0, "127.0.0.1"), "listening");
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "RS256", use: "sig" }] },
    clients: [{ ...client, grant_types: ["client_credentials"], redirect_uris: [], response_types: [] }],
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        // Tokens are valid only for the resource that the client names.
        getResourceServerInfo: (_: unknown, audience: string) => ({
          audience,
          scope: "orders:read orders:write",
          accessTokenFormat: "jwt",
        }),
      },
    },
  });
  http.on("request", provider.callback());
  return { issuer, close: () => void http.close() };
}
