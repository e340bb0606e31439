import { bearer } from "allspeak/auth";
import { createFetchHandler } from "allspeak/http";
import { createNodeHandler } from "allspeak/node";
import { describe, expect, it } from "vitest";
import {
  bear,
  metadata,
  openProtected,
  principalIn,
  protect,
  publicUrl,
} from "../../support/auth/protected-server.ts";
import { createFixture } from "../../support/http/fixture.ts";

const issuer = "https://login.example.com";

describe("a request with a token", () => {
  it("is accepted when the token is for this server, and the handler sees the principal", async () => {
    const { issuer, call } = await openProtected();
    const answer = await call(bear(await issuer.mint(publicUrl, { scope: "read write", plan: "pro" })));
    expect(answer.status).toBe(200);
    expect(principalIn(answer)).toMatchObject({
      issuer: issuer.url,
      subject: "alice",
      client: "app",
      scopes: ["read", "write"],
      claims: { plan: "pro" },
    });
  });

  it("is taken whatever the case of the scheme", async () => {
    const { issuer, call } = await openProtected();
    expect((await call({ authorization: `bearer ${await issuer.mint(publicUrl)}` })).status).toBe(200);
  });

  it("is verified exactly once", async () => {
    let verified = 0;
    const verify = (_: string, { audience }: { audience: readonly string[] }) => {
      verified++;
      return { sub: "alice", aud: audience };
    };
    const { call } = protect({ auth: bearer({ verify }) });
    expect((await call(bear("x"))).status).toBe(200);
    expect(verified).toBe(1);
  });

  it("needs the scopes of the server, and the challenge names them and those that are missing", async () => {
    const { issuer, call, entered } = await openProtected({ scopes: ["read", "list"] });
    const answer = await call(bear(await issuer.mint(publicUrl, { scope: "read" })));
    expect(answer.status).toBe(403);
    expect(answer.challenge).toBe(
      `Bearer error="insufficient_scope", error_description="The token does not have all scopes that this server requires; missing: list", ${metadata}, scope="read list"`,
    );
    expect(answer.body.error.message).toContain("missing: list");
    expect(entered()).toBe(0);
    expect((await call(bear(await issuer.mint(publicUrl, { scope: "list read" })))).status).toBe(200);
  });

  it("has the scopes that come with those of its token", async () => {
    const { issuer, call } = await openProtected({
      scopes: ["read"],
      impliedScopes: { admin: ["write"], write: ["read"], __proto__: ["never"] },
    });
    const answer = await call(bear(await issuer.mint(publicUrl, { scope: "admin" })));
    expect(principalIn(answer).scopes).toEqual(["admin", "write", "read"]);
  });

  it.each([
    [{ scp: "read write" }, ["read", "write"]],
    [{ scp: ["read", 1] }, ["read"]],
    [{ scope: "" }, []],
  ])("has scopes in whichever claim its issuer puts them: %o", async (claims, expected) => {
    const { issuer, call } = await openProtected();
    expect(principalIn(await call(bear(await issuer.mint(publicUrl, claims)))).scopes).toEqual(expected);
  });

  it("of a client that names no subject is a principal of its own: it may be any user's", async () => {
    const { issuer, call } = await openProtected();
    const mint = (jti: string) =>
      issuer.mint(publicUrl, { sub: undefined, client_id: undefined, azp: "robot", jti });
    const [one, other] = [
      principalIn(await call(bear(await mint("1")))),
      principalIn(await call(bear(await mint("2")))),
    ];
    expect(one).toMatchObject({ subject: expect.stringMatching(/^token /), client: "robot" });
    expect(other.client).toBe("robot");
    expect(other.subject).not.toBe(one.subject);
  });
});

describe("a request without a good token", () => {
  it("gets a challenge without an error when it has no token", async () => {
    const { call, entered } = await openProtected({ scopes: ["read"] });
    const { status, challenge, body } = await call();
    expect([status, challenge]).toEqual([401, `Bearer ${metadata}, scope="read"`]);
    expect(body.error.message).toBe("A token is needed.");
    expect((await call({ authorization: "Basic YTpi" })).challenge).toBe(challenge);
    expect(entered()).toBe(0);
  });

  it.each([
    "Bearer",
    "Bearer ",
    "Bearer a b",
    "Bearer a, Bearer b",
    "Bearer ä",
    'Bearer "a"',
    `Bearer ${"a".repeat(16_385)}`,
  ])("is malformed when it does not hold one token: %s", async (authorization) => {
    const { call } = await openProtected();
    const sent = Buffer.from(authorization, "utf8").toString("latin1");
    const { status, challenge } = await call({ authorization: sent });
    expect([status, challenge]).toEqual([400, expect.stringContaining('error="invalid_request"')]);
  });

  it.each(["access_token=x", "a=b&access_token=x", "access%5Ftoken=x", "access_token"])(
    "is malformed when the URL has one, even beside a good one: %s",
    async (query) => {
      const { issuer, fetch } = await openProtected();
      for (const headers of [{}, bear(await issuer.mint(publicUrl))]) {
        const response = await fetch(`/mcp?${query}`, { method: "POST", headers, body: "{}" });
        expect(response.status).toBe(400);
        expect(response.headers.get("www-authenticate")).toContain('error="invalid_request"');
      }
    },
  );

  it("is not blamed when the issuer does not answer", async () => {
    const { issuer, call, reports } = await openProtected();
    issuer.answers.set("/jwks", (_, response) => response.writeHead(500).end());
    const answer = await call(bear(await issuer.mint(publicUrl)));
    expect([answer.status, answer.headers.get("retry-after"), answer.challenge]).toEqual([503, "5", null]);
    expect(reports).toMatchObject([{ message: "Credentials could not be checked" }]);
  });

  it("gets nothing into the challenge that would break it", async () => {
    const { call } = await openProtected({ scopes: ["read"] });
    const { challenge } = await call(bear("x.y.z"));
    expect(challenge).toMatch(/^Bearer (?:[a-z_]+="[ !#-[\]-~]*"(?:, |$))+$/);
  });
});

describe("metadata of the protected resource", () => {
  const read = async (path: string, options: Parameters<typeof protect>[0]) => {
    const { fetch } = protect(options);
    const response = await fetch(path);
    return response.status === 200 ? await response.json() : response.status;
  };
  const auth = bearer({
    issuers: [issuer, "https://other.example.com/tenant"],
    scopes: ["read"],
    optionalScopes: ["write"],
  });

  it("is open to anybody, at the root and at the path of each endpoint", async () => {
    const common = {
      authorization_servers: [issuer, "https://other.example.com/tenant"],
      scopes_supported: ["read", "write"],
      bearer_methods_supported: ["header"],
    };
    const root = "/.well-known/oauth-protected-resource";
    expect(await read(root, { auth })).toMatchObject({ resource: publicUrl, ...common });
    expect(await read(`${root}/mcp`, { auth })).toMatchObject({ resource: publicUrl, ...common });
    expect(await read(`${root}/sse`, { auth })).toMatchObject({
      resource: "https://mcp.example.com/sse",
      ...common,
    });
    expect(await read(`${root}/other`, { auth })).toBe(404);
    expect(await read(`${root}/sse`, { auth, sse: false })).toBe(404);
  });

  it("knows what clients see behind a proxy that takes a part of the path away", async () => {
    const options = { auth, publicUrl: "https://mcp.example.com/orders/mcp" };
    for (const path of ["/mcp", "/orders/mcp"]) {
      expect(await read(`/.well-known/oauth-protected-resource${path}`, options)).toMatchObject({
        resource: "https://mcp.example.com/orders/mcp",
      });
    }
    expect(await read("/.well-known/oauth-protected-resource/orders/sse", options)).toMatchObject({
      resource: "https://mcp.example.com/orders/sse",
    });
    const { call, fetch } = protect(options);
    expect((await call()).challenge).toContain(
      'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/orders/mcp"',
    );
    expect((await fetch("/messages", { method: "POST" })).headers.get("www-authenticate")).toContain(
      'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/orders/sse"',
    );
  });

  it.each([
    ["https://mcp.example.com", "/"],
    ["https://mcp.example.com/", "/"],
    ["https://mcp.example.com/orders/", "/"],
  ])("is found when the endpoint is the root: %s", async (url, path) => {
    const options = { auth, publicUrl: url, path };
    const { pathname } = new URL(url);
    for (const at of ["", "/", pathname, pathname.slice(0, -1)]) {
      expect(await read(`/.well-known/oauth-protected-resource${at}`, options)).toMatchObject({
        resource: url,
      });
    }
    const { fetch } = protect(options);
    expect((await fetch(path, { method: "POST" })).headers.get("www-authenticate")).toContain(
      `resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource${pathname.slice(0, -1)}"`,
    );
  });

  it("names the audience that tokens must have, where it is a URL", async () => {
    const options = { auth: bearer({ issuer, audience: "https://mcp.example.com" }) };
    expect(await read("/.well-known/oauth-protected-resource/mcp", options)).toMatchObject({
      resource: "https://mcp.example.com",
    });
    const named = { auth: bearer({ issuer, audience: "orders" }) };
    expect(await read("/.well-known/oauth-protected-resource/mcp", named)).toMatchObject({
      resource: publicUrl,
    });
  });

  it("can only be read", async () => {
    const { fetch } = protect({ auth });
    const path = "/.well-known/oauth-protected-resource";
    const statuses = ["HEAD", "POST", "DELETE", "OPTIONS"].map(
      async (method) => (await fetch(path, { method })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 405, 405, 204]);
  });

  it("does not exist where no authorization server gives out tokens", async () => {
    const options = { auth: bearer({ verify: () => undefined }) };
    expect(await read("/.well-known/oauth-protected-resource", options)).toBe(404);
    expect((await protect(options).call()).challenge).toBe("Bearer");
  });
});

describe("the audience", () => {
  it("is the public URL of any endpoint unless another is given", async () => {
    const { issuer, call } = await openProtected();
    for (const audience of [publicUrl, `${publicUrl}/`, "https://mcp.example.com/sse"]) {
      expect((await call(bear(await issuer.mint(audience)))).status).toBe(200);
    }
  });

  it("may be any of several names", async () => {
    const { issuer, call } = await openProtected({ audience: ["orders", "billing"] });
    expect((await call(bear(await issuer.mint("billing")))).status).toBe(200);
    expect((await call(bear(await issuer.mint(publicUrl)))).status).toBe(401);
  });
});

describe("invalid options", () => {
  it.each([
    [{}, "bearer needs issuer"],
    [{ issuer: "http://login.example.com" }, "must be an https URL"],
    [{ issuer: "login" }, "must be an https URL"],
    [{ issuer, verify: () => undefined, jwks: { keys: [] } }, "Give only one of"],
    [{ issuers: [issuer, "https://b.example"], jwks: { keys: [] } }, "one issuer"],
    [{ issuer, algorithms: ["HS256"] }, "not HS256"],
    [{ issuer, algorithms: ["none"] }, "not none"],
    [{ issuer, algorithms: [] }, "not nothing"],
    [{ issuer, clockSkew: -1 }, "clockSkew"],
    [{ issuer, clockSkew: 3600 }, "clockSkew"],
    [{ issuer, audience: [] }, "audience"],
    [{ issuer, scopes: ["a b"] }, "is not a scope"],
    [{ issuer, scopes: ["offline_access"] }, "is not a scope"],
    [{ issuer, jwks: "http://keys.example.com" }, "must be an https URL"],
  ])("are refused at once: %o", (options, message) => {
    expect(() => bearer(options)).toThrow(message);
  });

  it("include a missing publicUrl, and both auth and identify", () => {
    const { server } = createFixture();
    const auth = bearer({ issuer });
    expect(() => createFetchHandler(server, { auth })).toThrow("publicUrl");
    expect(() => createNodeHandler(server, { auth })).toThrow("publicUrl");
    expect(() => createFetchHandler(server, { auth, publicUrl, identify: () => undefined })).toThrow(
      "identify",
    );
  });
});
