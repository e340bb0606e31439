import { createHash, randomUUID } from "node:crypto";
import { type BearerOptions, bearer } from "allspeak/auth";
import { memoryState } from "allspeak/http";
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from "jose";
import { customFetch, DPoP, isDPoPNonceError, protectedResourceRequest } from "oauth4webapi";
import { describe, expect, it, vi } from "vitest";
import { DpopNonces } from "../../../../src/auth/resource-server/dpop-nonce.ts";
import { bear, openProtected, protect, publicUrl } from "../../../support/auth/protected-server.ts";
import { openIssuer } from "../../../support/auth/token-issuer.ts";
import { toNewest } from "../../../support/http/stateless-request.ts";

type Claims = Readonly<Record<string, unknown>>;

const now = () => Math.floor(Date.now() / 1000);
const hash = (text: string) => createHash("sha256").update(text).digest("base64url");

/** A client with a key of its own, and a token that is bound to it. */
async function openBound(options: BearerOptions = {}) {
  const opened = await openProtected(options);
  const pair = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const cnf = { jkt: await calculateJwkThumbprint(jwk) };
  const token = await opened.issuer.mint(publicUrl, { cnf });
  const prove = (claims: Claims = {}, header: Partial<JWTHeaderParameters> = {}, key = pair.privateKey) =>
    new SignJWT({ jti: randomUUID(), htm: "POST", htu: publicUrl, iat: now(), ath: hash(token), ...claims })
      .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk, ...header })
      .sign(key);
  const send = (proof: string | undefined, scheme = "DPoP") =>
    opened.call({ authorization: `${scheme} ${token}`, ...(proof && { dpop: proof }) });
  return { ...opened, pair, jwk, token, prove, send };
}

describe("a token that is bound to a key", () => {
  it("is accepted with the proofs of oauth4webapi", async () => {
    const { pair, token, fetch } = await openBound({ dpop: { nonces: true } });
    const handle = DPoP({}, pair);
    const request = () => {
      const { body, headers } = toNewest("tools/call", { name: "whoami" });
      const given = Object.entries(headers).filter(([, value]) => value !== undefined) as [string, string][];
      return protectedResourceRequest(
        token,
        "POST",
        new URL(publicUrl),
        new Headers(given),
        JSON.stringify(body),
        {
          DPoP: handle,
          [customFetch]: (url: string, init: object) => fetch(new URL(url).pathname, init),
        },
      );
    };
    const refused = await request().catch((error: unknown) => error);
    expect(isDPoPNonceError(refused)).toBe(true);
    expect((await request()).status).toBe(200);
    expect((await request()).status).toBe(200);
  });

  it("is accepted with a proof for the method, the URL and the token", async () => {
    const { send, prove } = await openBound();
    expect((await send(await prove())).status).toBe(200);
    expect((await send(await prove({ htu: "HTTPS://MCP.example.com:443/mcp?a=b#c" }))).status).toBe(200);
  });

  it("is refused without a proof of the key", async () => {
    const { send, token, call, prove, entered } = await openBound();
    const stolen = await generateKeyPair("ES256", { extractable: true });
    const jwk = await exportJWK(stolen.publicKey);
    for (const answer of [
      await call(bear(token)),
      await call({ ...bear(token), dpop: await prove() }),
      await send(await prove({}, { jwk }, stolen.privateKey)),
    ]) {
      expect([answer.status, answer.challenge]).toEqual([
        401,
        expect.stringMatching(/^DPoP error="invalid_token".*algs="[^"]*ES256/),
      ]);
    }
    expect(entered()).toBe(0);
  });

  it.each<[string, Claims, Partial<JWTHeaderParameters>?]>([
    ["for another method", { htm: "GET" }],
    ["for another path", { htu: "https://mcp.example.com/sse" }],
    ["for another host", { htu: "https://evil.example/mcp" }],
    ["for plain http", { htu: "http://mcp.example.com/mcp" }],
    ["for no URL", { htu: "mcp" }],
    ["for another token", { ath: hash("other") }],
    ["for any token", { ath: undefined }],
    ["of long ago", { iat: now() - 120 }],
    ["of the future", { iat: now() + 120 }],
    ["of no time", { iat: undefined }],
    ["that could be used twice", { jti: undefined }],
    ["without a name", { jti: "" }],
    ["of another type", {}, { typ: "JWT" }],
    ["without a key", {}, { jwk: undefined as never }],
  ])("needs a proof other than one %s", async (_, claims, header) => {
    const { send, prove, entered } = await openBound();
    const { status, challenge } = await send(await prove(claims, header));
    expect([status, challenge]).toEqual([401, expect.stringContaining('DPoP error="invalid_dpop_proof"')]);
    expect(entered()).toBe(0);
  });

  it("needs a proof, and one only", async () => {
    const { send, prove } = await openBound();
    const two = `${await prove()}, ${await prove()}`;
    for (const proof of [undefined, "x", "a.b.c", two]) {
      const { status, challenge } = await send(proof);
      expect([status, challenge]).toEqual([401, expect.stringContaining('error="invalid_dpop_proof"')]);
    }
  });

  it("needs a proof that is not signed with a secret, nor shows the private key", async () => {
    const { send, prove, pair } = await openBound();
    const secret = new TextEncoder().encode("x".repeat(32));
    const symmetric = new SignJWT({ jti: "1", htm: "POST", htu: publicUrl, iat: now() })
      .setProtectedHeader({
        alg: "HS256",
        typ: "dpop+jwt",
        jwk: { kty: "oct", k: Buffer.from(secret).toString("base64url") } as never,
      })
      .sign(secret);
    expect((await send(await symmetric)).status).toBe(401);
    const jwk = (await exportJWK(pair.privateKey)) as never;
    expect((await send(await prove({}, { jwk }))).status).toBe(401);
  });

  it.each<[string, object]>([
    ["a point that is not on the curve", { kty: "EC", crv: "P-256", x: "AAAA", y: "AAAA" }],
    ["a curve that does not exist", { kty: "EC", crv: "P-0", x: "AAAA", y: "AAAA" }],
    ["no members", { kty: "EC" }],
    ["an unknown kind", { kty: "XX" }],
    ["a short modulus", { kty: "RSA", n: "AQAB", e: "AQAB" }],
    ["members that are no text", { kty: "EC", crv: 1, x: {}, y: [] }],
  ])("needs a proof whose key does not have %s", async (_, jwk) => {
    const { send, prove, reports } = await openBound();
    const { status, challenge } = await send(await prove({}, { jwk: jwk as JWK }));
    expect([status, challenge]).toEqual([401, expect.stringContaining('error="invalid_dpop_proof"')]);
    expect(reports).toEqual([{ message: expect.stringContaining("was refused with 401") }]);
  });

  it("is refused with a proof that any node has seen before", async () => {
    const issuer = await openIssuer();
    const state = memoryState();
    const nodes = [1, 2].map(() => protect({ auth: bearer({ issuer: issuer.url }), state }));
    const pair = await generateKeyPair("ES256", { extractable: true });
    const jwk = await exportJWK(pair.publicKey);
    const token = await issuer.mint(publicUrl, { cnf: { jkt: await calculateJwkThumbprint(jwk) } });
    const proof = await new SignJWT({ jti: "one", htm: "POST", htu: publicUrl, iat: now(), ath: hash(token) })
      .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk })
      .sign(pair.privateKey);
    const sent = { authorization: `DPoP ${token}`, dpop: proof };
    const statuses = [];
    for (const node of [...nodes, ...nodes]) statuses.push((await node.call(sent)).status);
    expect(statuses).toEqual([200, 401, 401, 401]);
  });

  it("is not blamed when used proofs can't be looked up", async () => {
    const issuer = await openIssuer();
    const { values, ...others } = memoryState();
    const away = { ...values, add: () => Promise.reject(new Error("The store is away.")) } as typeof values;
    const { call, reports } = protect({
      auth: bearer({ issuer: issuer.url }),
      state: { ...others, values: away },
    });
    const pair = await generateKeyPair("ES256", { extractable: true });
    const jwk = await exportJWK(pair.publicKey);
    const token = await issuer.mint(publicUrl, { cnf: { jkt: await calculateJwkThumbprint(jwk) } });
    const proof = await new SignJWT({ jti: "1", htm: "POST", htu: publicUrl, iat: now(), ath: hash(token) })
      .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk })
      .sign(pair.privateKey);
    const answer = await call({ authorization: `DPoP ${token}`, dpop: proof });
    expect([answer.status, answer.headers.get("retry-after"), reports.length]).toEqual([503, "5", 1]);
  });

  it("is accepted once when the same proof comes many times at once", async () => {
    const { send, prove } = await openBound();
    const proof = await prove();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(proof)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe("nonces", () => {
  it("are required, and accepted until they are old", async () => {
    const { send, prove } = await openBound({ dpop: { nonces: true } });
    const refused = await send(await prove());
    const nonce = refused.headers.get("dpop-nonce") ?? "";
    expect([refused.status, refused.challenge]).toEqual([
      401,
      expect.stringContaining('DPoP error="use_dpop_nonce"'),
    ]);
    expect(nonce).toMatch(/^[\w-]{20,}$/);
    const accepted = await send(await prove({ nonce }));
    expect([accepted.status, accepted.headers.get("dpop-nonce")]).toEqual([200, null]);

    const start = Date.now();
    try {
      vi.useFakeTimers({ toFake: ["Date"], now: start + 120_000 });
      const renewed = await send(await prove({ nonce }));
      expect(renewed.status).toBe(200);
      expect(renewed.headers.get("dpop-nonce")).toMatch(/^[\w-]{20,}$/);
      expect(renewed.headers.get("dpop-nonce")).not.toBe(nonce);
      vi.setSystemTime(start + 240_000);
      expect((await send(await prove({ nonce }))).challenge).toContain("use_dpop_nonce");
    } finally {
      vi.useRealTimers();
    }
  });

  it("make up for a clock that is wrong", async () => {
    const { send, prove } = await openBound({ dpop: { nonces: true } });
    const nonce = (await send(await prove())).headers.get("dpop-nonce") ?? "";
    expect((await send(await prove({ nonce, iat: now() - 3600 }))).status).toBe(200);
  });

  it("that are made up, or of another server, are refused", async () => {
    const { send, prove } = await openBound({ dpop: { nonces: true } });
    const other = await openBound({ dpop: { nonces: true } });
    const foreign = (await other.send(await other.prove())).headers.get("dpop-nonce") ?? "";
    for (const nonce of [foreign, "", 1]) {
      expect((await send(await prove({ nonce }))).challenge).toContain("use_dpop_nonce");
    }
  });

  it("are the same on all nodes", async () => {
    const state = memoryState();
    const [one, other] = [new DpopNonces(state.values), new DpopNonces(state.values)];
    expect(await other.isRecent(await one.current())).toBe(true);
    expect(await one.current()).toBe(await other.current());
  });
});

describe("a token that is not bound to a key", () => {
  it("can't be used as if it were", async () => {
    const { issuer, call } = await openProtected();
    const { status, challenge } = await call({ authorization: `DPoP ${await issuer.mint(publicUrl)}` });
    expect([status, challenge]).toEqual([401, expect.stringContaining('DPoP error="invalid_token"')]);
  });

  it("is refused where only bound ones are taken, and clients can know before", async () => {
    const { issuer, call, fetch } = await openProtected({ dpop: { required: true } });
    expect((await call(bear(await issuer.mint(publicUrl)))).status).toBe(401);
    expect((await call()).challenge).toMatch(/^DPoP resource_metadata="[^"]+", algs="[^"]+"$/);
    const metadata = await (await fetch("/.well-known/oauth-protected-resource")).json();
    expect(metadata).toMatchObject({ dpop_bound_access_tokens_required: true });
  });
});
