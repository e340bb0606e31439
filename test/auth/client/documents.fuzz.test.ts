// Whatever the servers answer, the client fails in a way that can be told, or not at all.
import { oauth } from "allspeak/auth";
import { connect, McpError } from "allspeak/client";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzzed } from "../../support/fuzz.ts";

const origin = "https://mcp.example";
const issuer = "https://auth.example";
const redirectUri = "http://127.0.0.1:9/callback";

const good = {
  resource: { resource: `${origin}/mcp`, authorization_servers: [issuer], scopes_supported: ["read"] },
  server: {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    code_challenge_methods_supported: ["S256"],
    scopes_supported: ["read", "offline_access"],
    token_endpoint_auth_methods_supported: ["none"],
  },
  registration: { client_id: "client", redirect_uris: [redirectUri], token_endpoint_auth_method: "none" },
  token: {
    access_token: "token",
    token_type: "Bearer",
    expires_in: 60,
    refresh_token: "refresh",
    scope: "read",
  },
};

type Documents = { [name in keyof typeof good]: unknown };

function answer(value: unknown, status = 200): Response {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  return new Response(body ?? "", { status, headers: { "content-type": "application/json" } });
}

/** Logs in against these documents, without a network; gives what came of it. */
async function enter(documents: Documents): Promise<unknown> {
  const auth = oauth({
    redirectUri,
    authorize: async (url) => `${redirectUri}?code=1&state=${url.searchParams.get("state")}`,
    fetch: async (input) => {
      const { pathname } = new URL(String(input));
      if (pathname.includes("protected-resource")) return answer(documents.resource);
      if (pathname.includes(".well-known")) return answer(documents.server);
      return pathname.includes("regist") ? answer(documents.registration, 201) : answer(documents.token);
    },
  });
  // A token is as good as none here: how the client got it is what counts.
  const atServer = async () =>
    new Response(null, { status: 401, headers: { "www-authenticate": 'Bearer scope="read"' } });
  return connect(`${origin}/mcp`, { auth, fetch: atServer, hints: new Map() }).catch(
    (error: unknown) => error,
  );
}

/** A document with some of its members replaced by anything. */
function disturbed(document: object): fc.Arbitrary<unknown> {
  const changes = fc.dictionary(
    fc.constantFrom(...Object.keys(document)),
    fc.jsonValue({ stringUnit: "binary" }),
    { maxKeys: 3 },
  );
  return fc.oneof(
    { weight: 4, arbitrary: changes.map((change) => ({ ...document, ...change })) },
    { weight: 1, arbitrary: fc.jsonValue({ stringUnit: "binary" }) },
    { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  );
}

describe("documents that make no sense", () => {
  it("the good ones lead to a token, which this server refuses", async () => {
    expect(await enter(good)).toMatchObject({ code: "authorization", reason: "refused" });
  });

  it.each(Object.keys(good) as (keyof typeof good)[])(
    "as %s end in a typed error",
    async (name) => {
      await fc.assert(
        fc.asyncProperty(disturbed(good[name]), async (document) => {
          const outcome = await enter({ ...good, [name]: document });
          expect(outcome).toBeInstanceOf(McpError);
          expect(outcome).toMatchObject({ code: "authorization" });
        }),
        { numRuns: fuzzed(60, 400) },
      );
    },
    120_000,
  );

  it.each(["a\r\nx-evil: 1", "a b", "\u0000", "ü", ""])("a token %j is not sent", async (access_token) => {
    const outcome = await enter({ ...good, token: { ...good.token, access_token } });
    expect(outcome).toMatchObject({ code: "authorization", reason: "unreachable" });
  });

  it("change no prototype", async () => {
    const polluting = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"resource":"x"}',
    );
    for (const name of Object.keys(good)) await enter({ ...good, [name]: polluting });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
