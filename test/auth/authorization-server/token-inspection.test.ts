import * as oauth from "oauth4webapi";
import { describe, expect, test } from "vitest";
import type { DevClient } from "../../../src/auth-dev.ts";
import {
  discover,
  insecure,
  type Login,
  logIn,
  refresh,
  refusalOf,
  register,
  resource,
} from "../../support/auth/dev-login.ts";
import { serve } from "../../support/auth/serve-dev-auth.ts";

const api: DevClient = { client_id: "api", client_secret: "secret" };

async function introspect(issuer: string, token: string) {
  const as = await discover(issuer);
  const auth = oauth.ClientSecretBasic("secret");
  const response = await oauth.introspectionRequest(as, { client_id: "api" }, auth, token, insecure);
  return oauth.processIntrospectionResponse(as, { client_id: "api" }, response);
}

async function revoke({ as, client, auth }: Login, token: string): Promise<void> {
  const response = await oauth.revocationRequest(as, client, auth, token, insecure);
  await oauth.processRevocationResponse(response);
}

describe("introspection", () => {
  test.each(["jwt", "opaque"] as const)("returns the claims of a token, %s", async (tokenFormat) => {
    const { issuer } = await serve({ clients: [api], tokenFormat });
    const tokens = await logIn(await register(issuer), { scope: "read" });
    expect(tokens.access_token.split(".")).toHaveLength(tokenFormat === "jwt" ? 3 : 1);
    expect(await introspect(issuer, tokens.access_token)).toMatchObject({
      active: true,
      iss: issuer,
      sub: "dev",
      aud: resource,
      scope: "read",
    });
    expect(await introspect(issuer, tokens.refresh_token ?? "")).toMatchObject({ active: true, sub: "dev" });
  });

  test("reports an unknown, expired or foreign token as inactive, without details", async () => {
    const auth = await serve({ clients: [api] });
    const expired = await auth.issueToken({ expiresInSeconds: -10 });
    const foreign = await (await serve()).issueToken();
    for (const token of ["nonsense", expired, foreign]) {
      expect(await introspect(auth.issuer, token)).toEqual({ active: false });
    }
  });

  test("refuses public clients", async () => {
    const { issuer } = await serve();
    const { as, client, auth } = await register(issuer);
    const response = await oauth.introspectionRequest(as, client, auth, "token", insecure);
    expect(response.status).toBe(401);
  });
});

describe("revocation", () => {
  test("of a refresh token takes all that came of it", async () => {
    const { issuer } = await serve({ clients: [api] });
    const login = await register(issuer);
    const tokens = await logIn(login);
    await revoke(login, tokens.refresh_token ?? "");
    expect(await introspect(issuer, tokens.access_token)).toEqual({ active: false });
    expect(await refusalOf(refresh(login, tokens.refresh_token ?? ""))).toBe("invalid_grant");
  });

  test("of an access token takes that one alone", async () => {
    const { issuer } = await serve({ clients: [api] });
    const login = await register(issuer);
    const tokens = await logIn(login);
    await revoke(login, tokens.access_token);
    expect(await introspect(issuer, tokens.access_token)).toEqual({ active: false });
    const { access_token: next } = await refresh(login, tokens.refresh_token ?? "");
    expect(await introspect(issuer, next)).toMatchObject({ active: true });
  });

  test("by another client changes nothing", async () => {
    const { issuer } = await serve({ clients: [api] });
    const login = await register(issuer);
    const tokens = await logIn(login);
    const other = await register(issuer);
    await revoke(other, tokens.access_token);
    await revoke(other, tokens.refresh_token ?? "");
    expect(await introspect(issuer, tokens.access_token)).toMatchObject({ active: true });
    expect(await refresh(login, tokens.refresh_token ?? "")).toHaveProperty("access_token");
  });
});

describe("userinfo", () => {
  test("returns the user's claims that the scopes allow", async () => {
    const { issuer } = await serve({ users: [{ subject: "alice", name: "Alice", email: "a@example.com" }] });
    const login = await register(issuer);
    const tokens = await logIn(login, { scope: "openid profile" });
    const response = await oauth.userInfoRequest(login.as, login.client, tokens.access_token, insecure);
    expect(await oauth.processUserInfoResponse(login.as, login.client, "alice", response)).toEqual({
      sub: "alice",
      name: "Alice",
    });
  });

  test("is refused without the scope openid", async () => {
    const { issuer } = await serve();
    const { access_token: token } = await logIn(await register(issuer), { scope: "read" });
    const response = await fetch(`${issuer}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(401);
  });
});
