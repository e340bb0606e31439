// What a hostile server, or a hostile authorization server, says of itself.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { connectFailure, connectWithOAuth } from "../../support/auth/connect-with-oauth.ts";
import {
  defaultResourceMetadata,
  defaultServerMetadata,
  type FakeOAuthServer,
  startFakeOAuthServer,
} from "../../support/auth/fake-oauth-server.ts";

/** What nobody may see after the client has refused to go on. */
function steps(world: FakeOAuthServer): string[] {
  return world.seen.filter(({ where }) => where === "issuer").map(({ path }) => path.split("?")[0] ?? "");
}

describe("resource metadata", () => {
  it.each([
    ["https://evil.example/mcp"],
    ["http://127.0.0.1:1/mcp"],
    ["http://localhost/mcp"],
    ["ORIGIN/mcpx"],
    ["ORIGIN/mc"],
    ["ORIGIN/mcp/below"],
    ["ORIGIN/mcp#fragment"],
    ["ORIGIN/mcp?tenant=other"],
    ["ORIGIN/other/../mcp"],
    ["ORIGIN/%2e/mcp"],
    ["ORIGIN\\mcp"],
    ["ORIGIN/m\tcp"],
    [" ORIGIN/mcp"],
    [" ORIGIN"],
    ["http://user@HOST/mcp"],
    ["ORIGIN.evil.example/mcp"],
    [""],
    [7],
    [null],
  ])("for the resource %s is refused, and the authorization server is not even asked", async (resource) => {
    const world = await startFakeOAuthServer({
      resourceMetadata: (self) => {
        const { origin, host } = new URL(self.url);
        const written = typeof resource === "string" ? resource : undefined;
        return {
          ...defaultResourceMetadata(self),
          resource: written?.replace("ORIGIN", origin).replace("HOST", host) ?? resource,
        };
      },
    });
    expect(await connectFailure(world)).toMatchObject({ code: "authorization", reason: "metadata" });
    expect(steps(world)).toEqual([]);
  });

  it("of 50 MB is not read to its end", async () => {
    let sent = 0;
    const world = await startFakeOAuthServer({
      intercept: ({ path }, response) => {
        if (!path.includes("oauth-protected-resource")) return undefined;
        response.writeHead(200, { "content-type": "application/json" });
        const chunk = " ".repeat(64 * 1024);
        const write = () => {
          while (sent < 50 * 1024 * 1024 && !response.destroyed) {
            sent += chunk.length;
            if (!response.write(chunk)) return response.once("drain", write);
          }
          return response.end("{}");
        };
        write();
        return true;
      },
    });
    expect(await connectFailure(world)).toMatchObject({ code: "authorization", reason: "discovery" });
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  it("that announces its size is not read at all", async () => {
    const world = await startFakeOAuthServer({
      intercept: ({ path }, response) => {
        if (!path.includes("oauth-protected-resource")) return undefined;
        response.writeHead(200, { "content-length": String(50 * 1024 * 1024) });
        response.flushHeaders();
        return true;
      },
    });
    expect(await connectFailure(world)).toMatchObject({ code: "authorization", reason: "discovery" });
  });

  it("of a server in trouble is not taken for a server without metadata", async () => {
    const world = await startFakeOAuthServer({
      intercept: ({ path }, response) => {
        if (!path.includes("oauth-protected-resource")) return undefined;
        response.writeHead(503).end();
        return true;
      },
    });
    expect(await connectFailure(world)).toMatchObject({ reason: "unreachable" });
    expect(world.at("/.well-known/oauth-authorization-server")).toEqual([]);
  });
});

describe("authorization server metadata", () => {
  const changed = (change: (world: FakeOAuthServer) => object) => ({
    serverMetadata: (world: FakeOAuthServer) => ({ ...defaultServerMetadata(world), ...change(world) }),
  });

  it.each([
    ["https://honest.example"],
    ["ISSUER/"],
    ["ISSUER?"],
    ["HTTP://127.0.0.1"],
    [undefined],
    [["ISSUER"]],
  ])("with the issuer %s is not used", async (issuer) => {
    const world = await startFakeOAuthServer(
      changed(({ issuer: own }) => ({
        issuer: typeof issuer === "string" ? issuer.replace("ISSUER", own) : issuer,
      })),
    );
    expect(await connectFailure(world)).toMatchObject({ reason: "metadata" });
    expect(steps(world)).toEqual(["/.well-known/oauth-authorization-server"]);
  });

  it.each([[undefined], [[]], [["plain"]]])(
    "that declares %s for PKCE is refused before anybody is sent there",
    async (methods) => {
      const world = await startFakeOAuthServer(
        changed(() => ({ code_challenge_methods_supported: methods })),
      );
      expect(await connectFailure(world)).toMatchObject({ reason: "metadata" });
      expect(steps(world)).toEqual(["/.well-known/oauth-authorization-server"]);
    },
  );

  it("is asked for at the host of the issuer only, whatever its path looks like", async () => {
    const other = await startFakeOAuthServer();
    const world = await startFakeOAuthServer({
      issuerPath: `//${new URL(other.issuer).host}/tenant`,
      serverMetadataPath: "/nowhere",
    });
    expect(await connectFailure(world)).toMatchObject({ reason: "discovery" });
    expect(steps(world)).toHaveLength(3);
    expect(other.seen).toEqual([]);
  });

  it("that sends tokens to another host over http gets no code there", async () => {
    const world = await startFakeOAuthServer(changed(() => ({ token_endpoint: "http://192.0.2.1/token" })));
    expect(await connectFailure(world)).toMatchObject({ reason: "unsafe-address" });
    expect(world.grants).toEqual([]);
  });
});

describe("what comes back from a login", () => {
  const announced = (callback: (world: FakeOAuthServer) => Record<string, string>) => ({
    callback,
    serverMetadata: (world: FakeOAuthServer) => ({
      ...defaultServerMetadata(world),
      authorization_response_iss_parameter_supported: true,
    }),
  });

  it("is taken when it names the issuer", async () => {
    const world = await startFakeOAuthServer(announced(({ issuer }) => ({ iss: issuer })));
    await connectWithOAuth(world);
    expect(world.grants).toEqual(["authorization_code"]);
  });

  it.each([
    ["another issuer", (_: string) => ({ iss: "https://evil.example" })],
    ["the issuer with a slash", (issuer: string) => ({ iss: `${issuer}/` })],
    ["the issuer in capitals", (issuer: string) => ({ iss: issuer.toUpperCase() })],
    ["no issuer though one is announced", () => ({})],
    ["an empty issuer", () => ({ iss: "" })],
  ])("is refused with %s, and the code goes nowhere", async (_, answer) => {
    const world = await startFakeOAuthServer(announced(({ issuer }) => answer(issuer)));
    expect(await connectFailure(world)).toMatchObject({ reason: "login" });
    expect(world.grants).toEqual([]);
  });

  it.each(["https://evil.example", ""])(
    "is refused with the issuer %j even where none is announced",
    async (iss) => {
      const world = await startFakeOAuthServer({ callback: () => ({ iss }) });
      expect(await connectFailure(world)).toMatchObject({ reason: "login" });
      expect(world.grants).toEqual([]);
    },
  );

  it.each([
    ["state", "stolen"],
    ["state", ""],
    ["response", "jarm"],
    ["id_token", "x.y.z"],
  ])("is refused with %s=%s", async (name, value) => {
    const world = await startFakeOAuthServer({ callback: () => ({ [name]: value }) });
    expect(await connectFailure(world)).toMatchObject({ reason: "login" });
    expect(world.grants).toEqual([]);
  });

  it("is not quoted when the callback is not of this login", async () => {
    const world = await startFakeOAuthServer({
      callback: () => ({ error: "call-this-number", error_description: "call-this-number", state: "wrong" }),
    });
    const error = await connectFailure(world);
    expect(inspect(error, { depth: 10 })).not.toContain("call-this-number");
  });

  it("tells of a refusal that is meant for us", async () => {
    const world = await startFakeOAuthServer({ callback: () => ({ error: "access_denied" }) });
    expect(await connectFailure(world)).toMatchObject({
      reason: "login",
      message: expect.stringContaining("access_denied"),
    });
  });
});

describe("the trace", () => {
  it("names each step, and holds no secret", async () => {
    const world = await startFakeOAuthServer({ needs: (tool) => (tool === "write" ? ["write"] : []) });
    const client = await connectWithOAuth(world, { client: { id: "prior-client", secret: "client-s3cret" } });
    world.endAccessTokens();
    await client.tools.call("write", {});
    const hops = client.auth.explain();
    expect(hops.map(({ step }) => step)).toEqual(
      expect.arrayContaining([
        "resource-metadata",
        "server-metadata",
        "authorization",
        "callback",
        "token",
        "refresh",
      ]),
    );
    const told = JSON.stringify(hops);
    const secrets = [
      "client-s3cret",
      ...world.accessTokens.keys(),
      ...world.refreshTokens.keys(),
      ...world.at("/token").flatMap(({ body }) => [body.code, body.code_verifier, body.refresh_token]),
      ...world.at("/authorize").map(({ path }) => new URLSearchParams(path.split("?")[1]).get("state")),
    ].filter((secret) => typeof secret === "string");
    expect(secrets.length).toBeGreaterThan(5);
    expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
  });

  it("comes with the error when there is no client to ask", async () => {
    const world = await startFakeOAuthServer({ serverMetadata: () => undefined });
    const error = await connectFailure(world);
    expect(error).toMatchObject({ reason: "discovery" });
    expect((error as { hops: unknown[] }).hops.length).toBeGreaterThan(2);
  });

  it("keeps a token that came with a broken answer out of the error", async () => {
    const world = await startFakeOAuthServer({
      intercept: ({ path }, response) => {
        if (path !== "/token") return undefined;
        response.writeHead(200, { "content-type": "application/json" });
        response.end('{"access_token":"canary-token","token_type":"mystery"}');
        return true;
      },
    });
    expect(inspect(await connectFailure(world), { depth: 20 })).not.toContain("canary-token");
  });
});
