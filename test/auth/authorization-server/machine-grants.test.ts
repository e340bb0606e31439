import { decodeJwt, exportJWK, generateKeyPair } from "jose";
import * as oauth from "oauth4webapi";
import { describe, expect, test } from "vitest";
import type { DevClient } from "../../../src/auth-dev.ts";
import {
  discover,
  insecure,
  type Login,
  logIn,
  refusalOf,
  register,
  resource,
} from "../../support/auth/dev-login.ts";
import { serve } from "../../support/auth/serve-dev-auth.ts";

const credentials = ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"];
const robot: DevClient = { client_id: "robot", client_secret: "s3:cr&t +", grant_types: credentials };

async function asRobot(issuer: string, auth: oauth.ClientAuth): Promise<Login> {
  return { as: await discover(issuer), client: { client_id: robot.client_id }, auth };
}

async function askForItself({ as, client, auth }: Login, parameters: Record<string, string> = {}) {
  const response = await oauth.clientCredentialsGrantRequest(as, client, auth, parameters, insecure);
  return oauth.processClientCredentialsResponse(as, client, response);
}

describe("client credentials", () => {
  test.each([
    ["client_secret_basic", oauth.ClientSecretBasic],
    ["client_secret_post", oauth.ClientSecretPost],
  ] as const)("by %s give a token in the client's own name", async (method, authenticate) => {
    const { issuer } = await serve({ clients: [{ ...robot, token_endpoint_auth_method: method }] });
    const login = await asRobot(issuer, authenticate("s3:cr&t +"));
    const tokens = await askForItself(login, { scope: "read", resource });
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      sub: "robot",
      client_id: "robot",
      aud: resource,
      scope: "read",
    });
    expect(tokens).not.toHaveProperty("refresh_token");
  });

  test("are refused with a wrong secret, or by another method than the registered one", async () => {
    const { issuer } = await serve({ clients: [robot] });
    for (const auth of [
      oauth.ClientSecretBasic("wrong"),
      oauth.ClientSecretPost("s3:cr&t +"),
      oauth.None(),
    ]) {
      const response = await oauth.clientCredentialsGrantRequest(
        await discover(issuer),
        { client_id: "robot" },
        auth,
        {},
        insecure,
      );
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: "invalid_client" });
    }
  });

  test.each([
    ["that names two clients", { client_id: "other" }, "invalid_client"],
    ["that shows a secret in two ways", { client_secret: "s3:cr&t +" }, "invalid_request"],
  ])("are refused to a request %s", async (_, change, error) => {
    const { issuer } = await serve({ clients: [robot, { ...robot, client_id: "other" }] });
    const encoded = [robot.client_id, "s3:cr&t +"].map(encodeURIComponent).join(":");
    const response = await fetch(`${issuer}/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "client_credentials", ...change }),
      headers: { authorization: `Basic ${btoa(encoded)}` },
    });
    expect(await response.json()).toMatchObject({ error });
  });

  test("are refused to a public client", async () => {
    const { issuer } = await serve();
    const login = await register(issuer, { grant_types: credentials, redirect_uris: [] });
    expect(await refusalOf(askForItself(login))).toBe("unauthorized_client");
  });

  test("give no scope that the client did not register", async () => {
    const { issuer } = await serve({ clients: [{ ...robot, scope: "read" }] });
    const login = await asRobot(issuer, oauth.ClientSecretBasic("s3:cr&t +"));
    expect(await refusalOf(askForItself(login, { scope: "write" }))).toBe("invalid_scope");
  });

  test("give tokens for known resources only, where they are known", async () => {
    const { issuer } = await serve({ clients: [robot], resources: [resource] });
    const login = await asRobot(issuer, oauth.ClientSecretBasic("s3:cr&t +"));
    expect(await refusalOf(askForItself(login, { resource: `${resource}/` }))).toBe("invalid_target");
    expect(decodeJwt((await askForItself(login)).access_token).aud).toBe(resource);
  });
});

describe("private_key_jwt", () => {
  async function serveKey() {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" }] };
    const { issuer } = await serve({
      clients: [
        { client_id: "robot", grant_types: credentials, jwks: jwks as NonNullable<DevClient["jwks"]> },
      ],
    });
    return { issuer, key: { key: privateKey, kid: "k" } };
  }

  test("proves a client by its key", async () => {
    const { issuer, key } = await serveKey();
    const login = await asRobot(issuer, oauth.PrivateKeyJwt(key));
    expect(decodeJwt((await askForItself(login)).access_token).sub).toBe("robot");
  });

  test("is good once", async () => {
    const { issuer, key } = await serveKey();
    let kept: URLSearchParams | undefined;
    const auth: oauth.ClientAuth = async (as, client, body, headers) => {
      if (kept === undefined) {
        await oauth.PrivateKeyJwt(key)(as, client, body, headers);
        kept = new URLSearchParams(body);
      } else for (const [name, value] of kept) body.set(name, value);
    };
    const login = await asRobot(issuer, auth);
    await askForItself(login);
    await expect(askForItself(login)).rejects.toThrow();
  });

  test.each([
    ["for another server", { aud: "https://other.example" }],
    ["that has expired", { exp: 1 }],
    ["of another client", { iss: "other" }],
    ["without an id", { jti: undefined }],
    ["that is good for days", { exp: Math.floor(Date.now() / 1000) + 200_000 }],
  ])("refuses an assertion %s", async (_, change) => {
    const { issuer, key } = await serveKey();
    const auth = oauth.PrivateKeyJwt(key, {
      [oauth.modifyAssertion]: (_header, payload) => void Object.assign(payload, change),
    });
    await expect(askForItself(await asRobot(issuer, auth))).rejects.toThrow();
  });

  test("refuses an assertion by another key", async () => {
    const { issuer } = await serveKey();
    const { privateKey } = await generateKeyPair("ES256");
    const auth = oauth.PrivateKeyJwt({ key: privateKey, kid: "k" });
    await expect(askForItself(await asRobot(issuer, auth))).rejects.toThrow();
  });
});

describe("token exchange", () => {
  const type = "urn:ietf:params:oauth:token-type:access_token";

  async function exchange(login: Login, parameters: Record<string, string>) {
    const { as, client, auth } = login;
    const grant = "urn:ietf:params:oauth:grant-type:token-exchange";
    const response = await oauth.genericTokenEndpointRequest(as, client, auth, grant, parameters, insecure);
    return oauth.processGenericTokenEndpointResponse(as, client, response);
  }

  test("issues a token of the same user for another service, with an actor claim", async () => {
    const { issuer } = await serve({ clients: [robot] });
    const { access_token: token } = await logIn(await register(issuer), { scope: "read write" });
    const login = await asRobot(issuer, oauth.ClientSecretBasic("s3:cr&t +"));
    const next = "https://next.example/";
    const parameters = { subject_token: token, subject_token_type: type, resource: next, scope: "read" };
    const exchanged = await exchange(login, parameters);
    expect(exchanged.issued_token_type).toBe(type);
    expect(decodeJwt(exchanged.access_token)).toMatchObject({
      sub: "dev",
      aud: next,
      scope: "read",
      client_id: "robot",
      act: { sub: "robot" },
    });
  });

  test("gives tokens for known audiences only, where they are known", async () => {
    const { issuer } = await serve({ clients: [robot], resources: [resource, "billing:"] });
    const { access_token: token } = await logIn(await register(issuer));
    const login = await asRobot(issuer, oauth.ClientSecretBasic("s3:cr&t +"));
    const shown = { subject_token: token, subject_token_type: type };
    expect(await refusalOf(exchange(login, { ...shown, audience: "other" }))).toBe("invalid_target");
    const { access_token: next } = await exchange(login, { ...shown, audience: "billing:" });
    expect(decodeJwt(next).aud).toBe("billing:");
  });

  test("refuses a token of another issuer, and scopes that the token does not have", async () => {
    const { issuer } = await serve({ clients: [robot] });
    const other = await (await serve()).issueToken();
    const { access_token: own } = await logIn(await register(issuer), { scope: "read" });
    const login = await asRobot(issuer, oauth.ClientSecretBasic("s3:cr&t +"));
    expect(await refusalOf(exchange(login, { subject_token: other, subject_token_type: type }))).toBe(
      "invalid_request",
    );
    const more = { subject_token: own, subject_token_type: type, scope: "write" };
    expect(await refusalOf(exchange(login, more))).toBe("invalid_scope");
  });
});
