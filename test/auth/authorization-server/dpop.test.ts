import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import { describe, expect, test } from "vitest";
import {
  ask,
  followToCallback,
  insecure,
  logIn,
  redeem,
  refresh,
  refusalOf,
  register,
} from "../../support/auth/dev-login.ts";
import { serve } from "../../support/auth/serve-dev-auth.ts";

async function createProver(login: { client: oauth.Client }) {
  return oauth.DPoP(login.client, await oauth.generateKeyPair("ES256"));
}

describe("DPoP", () => {
  test("binds access and refresh tokens of a public client to its key", async () => {
    const login = await register((await serve()).issuer);
    const DPoP = await createProver(login);
    const tokens = await logIn(login, {}, { DPoP });
    expect(tokens.token_type).toBe("dpop");
    const { cnf } = decodeJwt(tokens.access_token);
    expect(cnf).toEqual({ jkt: await DPoP.calculateThumbprint() });
    const token = tokens.refresh_token ?? "";
    expect(await refusalOf(refresh(login, token))).toBe("invalid_grant");
    const { as, client, auth } = login;
    const response = await oauth.refreshTokenGrantRequest(as, client, auth, token, { ...insecure, DPoP });
    const next = await oauth.processRefreshTokenResponse(as, client, response);
    expect(decodeJwt(next.access_token).cnf).toEqual(cnf);
  });

  test("is required where the option says so", async () => {
    const login = await register((await serve({ dpop: { required: true } })).issuer);
    expect(await refusalOf(logIn(login))).toBe("invalid_dpop_proof");
  });

  test("carries a nonce where one is required, which is given with the refusal", async () => {
    const login = await register((await serve({ dpop: { nonce: true } })).issuer);
    const DPoP = await createProver(login);
    const first = await logIn(login, {}, { DPoP }).catch((error: unknown) => error);
    expect(oauth.isDPoPNonceError(first)).toBe(true);
    expect(await logIn(login, {}, { DPoP })).toMatchObject({ token_type: "dpop" });
  });

  test("binds a code to the key that the request named", async () => {
    const login = await register((await serve()).issuer);
    const [mine, other] = [await createProver(login), await createProver(login)];
    const { url, verifier, state } = await ask(login, {
      change: { dpop_jkt: await mine.calculateThumbprint() },
    });
    const answer = await followToCallback(url);
    expect(await refusalOf(redeem(login, answer, { verifier, state, DPoP: other }))).toBe("invalid_grant");
  });

  test("refuses a proof that is used again, or is for another address", async () => {
    const { issuer } = await serve();
    const login = await register(issuer);
    const proofs: string[] = [];
    const record = async (input: string, init: { headers: Record<string, string> }) => {
      proofs.push(init.headers.dpop ?? "");
      return fetch(input, init as RequestInit);
    };
    const DPoP = await createProver(login);
    const { as, client, auth } = login;
    const options = { ...insecure, DPoP, [oauth.customFetch]: record as never };
    const sent = await oauth.refreshTokenGrantRequest(as, client, auth, "none", options);
    expect(await sent.json()).toMatchObject({ error: "invalid_grant" });
    const [proof = ""] = proofs;
    expect(await errorOf(`${issuer}/token`, proof)).toBe("invalid_dpop_proof");
    const elsewhere = { ...as, token_endpoint: `${issuer}/elsewhere` };
    await oauth.refreshTokenGrantRequest(elsewhere, client, auth, "none", options);
    expect(await errorOf(`${issuer}/token`, proofs[1] ?? "")).toBe("invalid_dpop_proof");
  });

  async function errorOf(url: string, proof: string): Promise<unknown> {
    const { client } = await register(new URL(url).origin);
    const body = { grant_type: "refresh_token", refresh_token: "none", client_id: client.client_id };
    const headers = { dpop: proof };
    const response = await fetch(url, { method: "POST", body: new URLSearchParams(body), headers });
    return ((await response.json()) as { error?: unknown }).error;
  }

  test.each([
    ["for another method", { htm: "GET" }, {}],
    ["for another address", { htu: "https://other.example/token" }, {}],
    ["for a token, where none is shown", { ath: "x" }, {}],
    ["without an id", { jti: undefined }, {}],
    ["that is old", { iat: Math.floor(Date.now() / 1000) - 600 }, {}],
    ["of the future", { iat: Math.floor(Date.now() / 1000) + 600 }, {}],
    ["of another kind", {}, { typ: "JWT" }],
    ["that names no key", {}, { jwk: undefined }],
  ])("refuses a proof %s", async (_, claims, header) => {
    const { issuer } = await serve();
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const prove = async (changes: object, headers: object) => {
      const now = Math.floor(Date.now() / 1000);
      const payload = { htm: "POST", htu: `${issuer}/token`, jti: crypto.randomUUID(), iat: now, ...changes };
      return new SignJWT(payload)
        .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk: await exportJWK(publicKey), ...headers })
        .sign(privateKey);
    };
    expect(await errorOf(`${issuer}/token`, await prove(claims, header))).toBe("invalid_dpop_proof");
    expect(await errorOf(`${issuer}/token`, await prove({}, {}))).toBe("invalid_grant");
  });

  test("refuses a proof that shows its private key", async () => {
    const { issuer } = await serve();
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const now = Math.floor(Date.now() / 1000);
    const proof = await new SignJWT({ htm: "POST", htu: `${issuer}/token`, jti: "once", iat: now })
      .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk: await exportJWK(privateKey) })
      .sign(privateKey);
    expect(await errorOf(`${issuer}/token`, proof)).toBe("invalid_dpop_proof");
  });

  test("proves the key at userinfo, for this token", async () => {
    const login = await register((await serve()).issuer);
    const { as, client } = login;
    const DPoP = await createProver(login);
    const { access_token: token } = await logIn(login, { scope: "openid" }, { DPoP });
    const bound = await oauth.userInfoRequest(as, client, token, { ...insecure, DPoP });
    expect(await oauth.processUserInfoResponse(as, client, "dev", bound)).toEqual({ sub: "dev" });
    const other = await createProver(login);
    await expect(
      oauth
        .userInfoRequest(as, client, token, { ...insecure, DPoP: other })
        .then((response) => oauth.processUserInfoResponse(as, client, "dev", response)),
    ).rejects.toThrow();
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(as.userinfo_endpoint ?? "", { headers })).status).toBe(401);
  });
});
