// Credentials that make no sense are refused in the words of RFC 6750, whatever they are.
import { bearer } from "allspeak/auth";
import { createFetchHandler } from "allspeak/http";
import fc from "fast-check";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, it, onTestFinished } from "vitest";
import { openIssuer, type TokenIssuer } from "../../support/auth/token-issuer.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { toNewest } from "../../support/http/stateless-request.ts";

const publicUrl = "https://mcp.example.com/mcp";
const challengePattern = /^(?:Bearer|DPoP) (?:[a-z_]+="[ !#-[\]-~]*"(?:, |$))+$/;
const characters = `abcXYZ019._~+/-=\\",;: {}[]%\t`;
const visible = fc.string({ unit: fc.constantFrom(...characters), maxLength: 60 });

function serve(issuer: TokenIssuer) {
  const { server, entered, reports } = createFixture();
  const handle = createFetchHandler(server, {
    publicUrl,
    auth: bearer({ issuer: issuer.url, scopes: ["read"] }),
    limits: false,
  });
  onTestFinished(() => handle.close(0));
  const { body, headers } = toNewest("tools/call", { name: "echo", arguments: { text: "x" } });
  const call = async (sent: Record<string, string>, query = "") => {
    const given = { ...(headers as Record<string, string>), host: "mcp.example.com", ...sent };
    const request = new Request(publicUrl + query, {
      method: "POST",
      body: JSON.stringify(body),
      headers: given,
    });
    const response = await handle(request);
    await response.text();
    return { status: response.status, challenge: response.headers.get("www-authenticate") ?? "" };
  };
  return { call, entered, reports };
}

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("whatever is sent as credentials", () => {
  it("is refused with a challenge that can be read, and nobody is let in", async () => {
    const { call, entered, reports } = serve(await openIssuer());
    const scheme = fc.constantFrom("Bearer", "bearer", "DPoP", "Basic", "", "Bearer,", "\t");
    await fc.assert(
      fc.asyncProperty(scheme, visible, visible, async (name, token, dpop) => {
        const { status, challenge } = await call({
          authorization: `${name} ${token}`.trim(),
          dpop: dpop.trim(),
        });
        expect([400, 401]).toContain(status);
        expect(challenge).toMatch(challengePattern);
      }),
      { numRuns: 1_000 },
    );
    expect([entered(), reports.filter(({ message }) => !message.includes("was refused"))]).toEqual([0, []]);
  });

  it("is refused when it has the form of a token", async () => {
    const issuer = await openIssuer();
    const { call, entered, reports } = serve(issuer);
    const kid = issuer.keys[0]?.kid;
    const header = fc.record({
      alg: fc.constantFrom("ES256", "none", "HS256", "RS256", "EdDSA", "", 1, null),
      kid: fc.constantFrom(kid, "../x", "", 1, null, {}),
      typ: fc.constantFrom("at+jwt", "JWT", "", 1, null),
      crit: fc.constantFrom(undefined, ["b64"], [], "x"),
    });
    const payload = fc.oneof(
      fc.record({
        iss: fc.constantFrom(issuer.url, "", 1, null),
        sub: fc.json(),
        aud: fc.constant(publicUrl),
        exp: fc.double(),
      }),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(header, payload, visible, async (head, claims, signature) => {
        const end = signature.replace(/[^\w-]/g, "");
        const { status, challenge } = await call({
          authorization: `Bearer ${base64(head)}.${base64(claims)}.${end}`,
        });
        expect([status, challenge]).toEqual([401, expect.stringMatching(challengePattern)]);
      }),
      { numRuns: 1_000 },
    );
    expect([entered(), reports.filter(({ message }) => !message.includes("was refused"))]).toEqual([0, []]);
  });

  it("is refused when it has the form of a proof", async () => {
    const issuer = await openIssuer();
    const { call, entered, reports } = serve(issuer);
    const pair = await generateKeyPair("ES256", { extractable: true });
    const own = await exportJWK(pair.publicKey);
    const token = await issuer.mint(publicUrl, {
      scope: "read",
      cnf: { jkt: await calculateJwkThumbprint(own) },
    });
    const jwk = fc.oneof(
      fc.constant(own),
      fc.jsonValue(),
      fc.record({
        kty: fc.constantFrom("EC", "RSA", "OKP", "oct"),
        crv: fc.constantFrom("P-256", "Ed25519", 1),
        x: fc.string(),
        y: fc.string(),
        n: fc.string(),
        e: fc.string(),
        d: fc.string(),
      }),
    );
    const claims = fc.record({
      jti: fc.oneof(fc.string(), fc.integer()),
      htm: fc.constantFrom("POST", "GET", 1),
      htu: fc.constantFrom(publicUrl, "x", 1, null),
      iat: fc.constantFrom(Math.floor(Date.now() / 1000), -1, 1e300, "now", null),
      ath: fc.constantFrom("x", 1, null),
    });
    await fc.assert(
      fc.asyncProperty(jwk, claims, async (key, said) => {
        const proof = await new SignJWT(said as never)
          .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk: key as never })
          .sign(pair.privateKey);
        if (proof.length > 8_192) return;
        const { status, challenge } = await call({ authorization: `DPoP ${token}`, dpop: proof });
        expect([status, challenge]).toEqual([401, expect.stringMatching(challengePattern)]);
      }),
      { numRuns: 500 },
    );
    expect([entered(), reports.filter(({ message }) => !message.includes("was refused"))]).toEqual([0, []]);
  });
});
