import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { getValidatedIdTokenClaims } from "oauth4webapi";
import { describe, expect, test } from "vitest";
import {
  ask,
  discover,
  followToCallback,
  logIn,
  redeem,
  refresh,
  refusalOf,
  register,
  resource,
} from "../../support/auth/dev-login.ts";
import { serve } from "../../support/auth/serve-dev-auth.ts";

describe("discovery", () => {
  test.each(["oauth2", "oidc"] as const)(
    "finds the same issuer by %s, below a path too",
    async (algorithm) => {
      for (const path of ["", "/tenant"]) {
        const { issuer } = await serve({ path });
        const as = await discover(issuer, algorithm);
        expect(as.issuer).toBe(issuer);
        expect(as.token_endpoint).toBe(`${issuer}/token`);
        expect(as.code_challenge_methods_supported).toEqual(["S256"]);
      }
    },
  );
});

describe("a code", () => {
  test("becomes an access token for the resource that was named, signed by a published key", async () => {
    const { issuer } = await serve();
    const login = await register(issuer);
    const tokens = await logIn(login, { scope: "read" });
    const keys = createRemoteJWKSet(new URL(login.as.jwks_uri ?? ""));
    const { payload, protectedHeader } = await jwtVerify(tokens.access_token, keys, {
      issuer,
      audience: resource,
    });
    expect(protectedHeader.typ).toBe("at+jwt");
    expect(payload).toMatchObject({ sub: "dev", client_id: login.client.client_id, scope: "read" });
    expect(tokens).toMatchObject({ token_type: "bearer", scope: "read", expires_in: 300 });
  });

  test("brings an ID token when openid is requested", async () => {
    const { issuer } = await serve({
      users: [{ subject: "alice", name: "Alice", email: "alice@example.com" }],
    });
    const login = await register(issuer);
    const { url, verifier, state } = await ask(login, { scope: "openid email", change: { nonce: "n-1" } });
    const tokens = await redeem(login, await followToCallback(url), { verifier, state, nonce: "n-1" });
    expect(getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: "alice", email: "alice@example.com" });
    expect(getValidatedIdTokenClaims(tokens)).not.toHaveProperty("name");
  });

  test("works once, and a second use revokes its tokens", async () => {
    const login = await register((await serve()).issuer);
    const { url, verifier, state } = await ask(login);
    const answer = await followToCallback(url);
    const tokens = await redeem(login, answer, { verifier, state });
    expect(await refusalOf(redeem(login, answer, { verifier, state }))).toBe("invalid_grant");
    expect(await refusalOf(refresh(login, tokens.refresh_token ?? ""))).toBe("invalid_grant");
  });

  test("of a login that named no resource is good for the first resource alone", async () => {
    const login = await register((await serve({ resources: [resource, "https://other.example/"] })).issuer);
    const logInWithout = async (requested: string) => {
      const { url, verifier, state } = await ask(login, { change: { resource: undefined } });
      return redeem(login, await followToCallback(url), { verifier, state, resource: requested });
    };
    expect(await refusalOf(logInWithout("https://other.example/"))).toBe("invalid_target");
    const tokens = await logInWithout(resource);
    expect(decodeJwt(tokens.access_token).aud).toBe(resource);
    const elsewhere = refresh(login, tokens.refresh_token ?? "", { resource: "https://other.example/" });
    expect(await refusalOf(elsewhere)).toBe("invalid_target");
  });

  test("is worthless without its verifier", async () => {
    const login = await register((await serve()).issuer);
    const { url, state } = await ask(login);
    const wrong = { verifier: "x".repeat(43), state };
    expect(await refusalOf(redeem(login, await followToCallback(url), wrong))).toBe("invalid_grant");
  });

  test.each([[{ redirect_uri: "http://127.0.0.1:6000/callback" }], [{ redirect_uri: "" }]])(
    "is worthless when it is said to have gone elsewhere: %o",
    async (change) => {
      const { issuer } = await serve();
      const login = await register(issuer);
      const { url, verifier } = await ask(login);
      const form = {
        grant_type: "authorization_code",
        client_id: login.client.client_id,
        code: (await followToCallback(url)).searchParams.get("code") ?? "",
        code_verifier: verifier,
        ...change,
      };
      const body = new URLSearchParams(form);
      const response = await fetch(`${issuer}/token`, { method: "POST", body });
      expect(await response.json()).toMatchObject({ error: "invalid_grant" });
    },
  );

  test("is worthless to another client", async () => {
    const { issuer } = await serve();
    const login = await register(issuer);
    const { url, verifier, state } = await ask(login);
    const answer = await followToCallback(url);
    const other = await register(issuer);
    expect(await refusalOf(redeem(other, answer, { verifier, state }))).toBe("invalid_grant");
    expect(await redeem(login, answer, { verifier, state })).toHaveProperty("access_token");
  });
});

describe("an authorization request", () => {
  test.each([
    ["without a challenge", { code_challenge: undefined }, "invalid_request"],
    ["with a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["for a token", { response_type: "token" }, "unsupported_response_type"],
    ["for an unknown scope", { scope: "everything" }, "invalid_scope"],
    ["for what is no resource", { resource: "mcp" }, "invalid_target"],
  ])("%s is refused at the client", async (_, change, error) => {
    const { issuer } = await serve();
    const login = await register(issuer);
    const { url, state } = await ask(login, { change });
    const { searchParams } = await followToCallback(url);
    expect(Object.fromEntries(searchParams)).toMatchObject({ error, state, iss: issuer });
    expect(searchParams.has("code")).toBe(false);
  });

  test.each([
    ["to another address", { redirect_uri: "https://evil.example/callback" }],
    ["to another port", { redirect_uri: "http://127.0.0.1:6000/callback" }],
    ["to a longer path", { redirect_uri: "http://127.0.0.1:5999/callback/more" }],
    ["to the address with a query", { redirect_uri: "http://127.0.0.1:5999/callback?more=1" }],
    ["of an unknown client", { client_id: "nobody" }],
  ])("%s is refused on a page, and nobody is sent anywhere", async (_, change) => {
    const { url } = await ask(await register((await serve()).issuer), { change });
    const response = await fetch(url, { redirect: "manual" });
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toMatch("text/html");
  });

  test("that names a parameter twice is refused", async () => {
    const { url } = await ask(await register((await serve()).issuer));
    url.searchParams.append("redirect_uri", "https://evil.example/");
    expect((await fetch(url, { redirect: "manual" })).status).toBe(400);
  });
});

describe("a refresh token", () => {
  test("is replaced at each use", async () => {
    const login = await register((await serve()).issuer);
    const first = await logIn(login, { scope: "read write" });
    const second = await refresh(login, first.refresh_token ?? "", { scope: "read" });
    expect(second.scope).toBe("read");
    const third = await refresh(login, second.refresh_token ?? "");
    expect(third.scope).toBe("read write");
    expect(new Set([first, second, third].map((tokens) => tokens.refresh_token)).size).toBe(3);
  });

  test("that is used again takes its successors with it", async () => {
    const login = await register((await serve()).issuer);
    const first = await logIn(login);
    const second = await refresh(login, first.refresh_token ?? "");
    expect(await refusalOf(refresh(login, first.refresh_token ?? ""))).toBe("invalid_grant");
    expect(await refusalOf(refresh(login, second.refresh_token ?? ""))).toBe("invalid_grant");
  });

  test("works once when it is used twice at the same time", async () => {
    const login = await register((await serve()).issuer);
    const { refresh_token: token = "" } = await logIn(login);
    const both = await Promise.allSettled([refresh(login, token), refresh(login, token)]);
    expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("gives no more than was granted, and is not lost by asking", async () => {
    const login = await register((await serve()).issuer);
    const { refresh_token: token = "" } = await logIn(login, { scope: "read" });
    expect(await refusalOf(refresh(login, token, { scope: "write" }))).toBe("invalid_scope");
    expect(await refusalOf(refresh(login, token, { resource: "https://other.example/" }))).toBe(
      "invalid_target",
    );
    expect(await refresh(login, token)).toHaveProperty("access_token");
  });

  test("is not given to a client that did not register for one", async () => {
    const login = await register((await serve()).issuer, { grant_types: ["authorization_code"] });
    expect(await logIn(login)).not.toHaveProperty("refresh_token");
    expect(await refusalOf(refresh(login, "any"))).toBe("unauthorized_client");
  });
});
