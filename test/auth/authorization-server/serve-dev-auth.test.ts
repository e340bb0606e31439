import { request } from "node:http";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { expect, test } from "vitest";
import { serveDevAuth } from "../../../src/auth-dev.ts";
import { discover, logIn, register } from "../../support/auth/dev-login.ts";
import { serve } from "../../support/auth/serve-dev-auth.ts";

test.each(["0.0.0.0", "::", "192.168.1.2", "example.com"])("it can't listen on %s", async (host) => {
  await expect(serveDevAuth({ host })).rejects.toMatchObject({ code: "usage" });
});

test.each([{ autoApprove: "nobody" }, { path: "tenant" }, { path: "/tenant/" }])(
  "it can't be started with %o",
  async (options) => {
    await expect(serveDevAuth(options)).rejects.toMatchObject({ code: "usage" });
  },
);

test("it logs a warning that it is for development only", async () => {
  const lines: string[] = [];
  const { issuer } = await serve({ log: (line) => lines.push(line) });
  expect(lines.join("\n")).toMatch(issuer);
  expect(lines.join("\n")).toMatch("never use it");
});

test("it refuses other host names, so that no web page can reach it by DNS rebinding", async () => {
  const { port } = await serve();
  expect(await statusFor(port, "evil.example")).toBe(403);
  expect(await statusFor(port, `127.0.0.1:${port}`)).toBe(200);
});

test("tokens of a former key stay good after a rotation, and new ones have the new key", async () => {
  const auth = await serve();
  const login = await register(auth.issuer);
  const before = await logIn(login);
  await auth.rotateKeys();
  const after = await logIn(login);
  const keys = createRemoteJWKSet(new URL(login.as.jwks_uri ?? ""));
  const [old, fresh] = await Promise.all(
    [before, after].map((tokens) => jwtVerify(tokens.access_token, keys)),
  );
  expect(old?.protectedHeader.kid).not.toBe(fresh?.protectedHeader.kid);
});

test("a request can be counted, or failed on purpose", async () => {
  const seen: string[] = [];
  const { issuer } = await serve({
    intercept: ({ url }) => {
      const { pathname } = new URL(url);
      seen.push(pathname);
      return pathname === "/jwks" ? new Response(null, { status: 503 }) : undefined;
    },
  });
  const as = await discover(issuer);
  expect((await fetch(as.jwks_uri ?? "")).status).toBe(503);
  expect(seen).toEqual(["/.well-known/oauth-authorization-server", "/jwks"]);
});

function statusFor(port: number, host: string): Promise<number | undefined> {
  const path = "/.well-known/oauth-authorization-server";
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end();
  });
}
