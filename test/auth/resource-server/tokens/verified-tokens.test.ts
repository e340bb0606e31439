import { afterEach, expect, it, vi } from "vitest";
import { bear, openProtected, publicUrl } from "../../../support/auth/protected-server.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("the signature of a token is verified once a minute", async () => {
  const verify = vi.spyOn(globalThis.crypto.subtle, "verify");
  const { issuer, call } = await openProtected();
  const token = await issuer.mint(publicUrl);
  for (let time = 0; time < 4; time++) expect((await call(bear(token))).status).toBe(200);
  expect(verify).toHaveBeenCalledTimes(1);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
  expect((await call(bear(token))).status).toBe(200);
  expect(verify).toHaveBeenCalledTimes(2);
});

it("a token that was verified is refused as soon as it expires", async () => {
  const { issuer, call } = await openProtected();
  const now = Math.floor(Date.now() / 1000);
  const token = await issuer.mint(publicUrl, { exp: now + 20 });
  expect((await call(bear(token))).status).toBe(200);
  vi.useFakeTimers({ toFake: ["Date"], now: (now + 30) * 1000 });
  expect((await call(bear(token))).status).toBe(401);
});

it("a token with a signature of another is not taken for the other", async () => {
  const { issuer, call } = await openProtected();
  const good = await issuer.mint(publicUrl, { sub: "alice" });
  expect((await call(bear(good))).status).toBe(200);
  const other = await issuer.mint(publicUrl, { sub: "bob" });
  const [header, payload] = other.split(".");
  expect((await call(bear(`${header}.${payload}.${good.split(".")[2]}`))).status).toBe(401);
});
