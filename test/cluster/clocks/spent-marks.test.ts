import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { authenticateClient } from "../../../src/auth/authorization-server/clients/client-authentication.ts";
import type { RegisteredClient } from "../../../src/auth/authorization-server/clients/client-metadata.ts";
import type { ClientStore } from "../../../src/auth/authorization-server/clients/client-store.ts";
import { RequestParameters } from "../../../src/auth/authorization-server/http/request-parameters.ts";
import type { AuthorizationGrant } from "../../../src/auth/authorization-server/tokens/authorization-grant.ts";
import { GrantStore } from "../../../src/auth/authorization-server/tokens/grant-store.ts";
import { createValues } from "./store-clock.ts";

const begin = Date.parse("2026-01-01T00:00:00Z");
const issuer = "https://auth.example.com";
const skewMs = 30_000;

let storeNow = begin;

/** Does something at a node, at a time of the store. */
function at<T>(ms: number, nodeIsFast: boolean, act: () => Promise<T>): Promise<T> {
  storeNow = begin + ms;
  vi.setSystemTime(storeNow + (nodeIsFast ? skewMs : 0));
  return act();
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
});

describe("nodes whose clocks are 30 seconds apart", () => {
  it("take a client assertion once", async () => {
    const values = createValues(() => storeNow);
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" }] };
    const client = { client_id: "robot", token_endpoint_auth_method: "private_key_jwt", jwks };
    const clients = { find: async () => client as unknown as RegisteredClient } as unknown as ClientStore;
    const assertion = await new SignJWT({ jti: "once" })
      .setProtectedHeader({ alg: "ES256", kid: "k" })
      .setIssuer("robot")
      .setSubject("robot")
      .setAudience(issuer)
      .setExpirationTime(begin / 1000 + 60)
      .sign(privateKey);
    const form = new RequestParameters(
      new URLSearchParams({
        client_assertion: assertion,
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      }),
    );
    const authenticate = () =>
      authenticateClient(new Request(`${issuer}/token`, { method: "POST" }), form, {
        clients,
        values,
        audiences: [issuer],
      });
    expect((await at(29_000, true, authenticate)).client_id).toBe("robot");
    await expect(at(58_000, false, authenticate)).rejects.toThrow("used before");
  });

  it("take a refresh token once, and revoke its grant with the second use", async () => {
    const grants = new GrantStore(createValues(() => storeNow));
    const grant = { id: "grant", clientId: "c", expiresAt: begin + 100_000 } as AuthorizationGrant;
    const token = await at(0, false, () => grants.createRefreshToken(grant));
    await at(1_000, true, async () => (await grants.findRefreshToken(token, "c")).spend());
    await expect(at(99_000, false, () => grants.findRefreshToken(token, "c"))).rejects.toThrow("used before");
  });

  it("keep a grant revoked as long as any of them takes its tokens", async () => {
    const grants = new GrantStore(createValues(() => storeNow));
    const expiresAt = begin + 100_000;
    await at(1_000, true, () => grants.revoke("grant", expiresAt - Date.now()));
    expect(await at(104_000, false, () => grants.isRevoked("grant"))).toBe(true);
    await at(1_000, true, () => grants.revoke("late", -20_000));
    expect(await at(29_000, false, () => grants.isRevoked("late"))).toBe(true);
  });
});
