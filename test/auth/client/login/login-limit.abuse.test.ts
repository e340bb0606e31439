// A hostile server that asks for a login again and again.
import { oauth } from "allspeak/auth";
import { connect } from "allspeak/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { redirectUri } from "../../../support/auth/connect-with-oauth.ts";
import {
  type FakeOAuthServer,
  type FakeOAuthServerOptions,
  startFakeOAuthServer,
} from "../../../support/auth/fake-oauth-server.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

const tooMany = {
  code: "authorization",
  reason: "refused",
  message: expect.stringMatching(/asked for 8 logins.*forget/),
};

async function openWorld(
  options: FakeOAuthServerOptions,
  logIn?: (world: FakeOAuthServer) => Promise<string>,
) {
  const world = await startFakeOAuthServer({ issuesRefreshTokens: false, ...options });
  const windows: URL[] = [];
  const authorize = (url: URL) => {
    windows.push(url);
    return logIn ? logIn(world) : world.authorize(url);
  };
  const auth = oauth({ authorize, redirectUri });
  const open = () => connect(world.url, { auth, hints: new Map(), revisions: ["2026-07-28"] });
  return { world, windows, auth, open };
}

describe("a server that accepts each token once", () => {
  const acceptsOnce: FakeOAuthServerOptions = {
    intercept: ({ path, headers }, _, world) => {
      if (path === "/mcp")
        queueMicrotask(() => world.accessTokens.delete(headers.authorization?.slice(7) ?? ""));
      return undefined;
    },
  };

  it("opens at most eight windows, and one more each minute", async () => {
    const { open, windows } = await openWorld(acceptsOnce);
    const client = await open();
    while (windows.length < 8) await client.tools.call("echo", {});
    for (let call = 0; call < 3; call++)
      await expect(client.tools.call("echo", {})).rejects.toMatchObject(tooMany);
    expect(windows).toHaveLength(8);
    vi.advanceTimersByTime(60_000);
    await client.tools.call("echo", {});
    await expect(client.tools.call("echo", {})).rejects.toMatchObject(tooMany);
    expect(windows).toHaveLength(9);
    await client.close();
  });

  it("opens a window again after the host has forgotten the tokens", async () => {
    const { world, open, windows, auth } = await openWorld(acceptsOnce);
    const client = await open();
    while (windows.length < 8) await client.tools.call("echo", {});
    await expect(client.tools.call("echo", {})).rejects.toMatchObject(tooMany);
    await auth.forget(world.url);
    await client.tools.call("echo", {});
    expect(windows).toHaveLength(9);
    await client.close();
  });
});

it("a server that asks for other scopes each time opens at most eight windows", async () => {
  let asked = 0;
  const { open, windows } = await openWorld({ needs: () => [`scope-${++asked}`] });
  const client = await open();
  for (let call = 0; call < 10; call++) await client.tools.call("echo", {}).catch(() => {});
  await expect(client.tools.call("echo", {})).rejects.toMatchObject(tooMany);
  expect(windows).toHaveLength(8);
  await client.close();
});

it("windows that the user closes count", async () => {
  const { open, windows } = await openWorld({}, () => Promise.reject(new Error("The window was closed.")));
  for (let attempt = 0; attempt < 8; attempt++)
    await expect(open()).rejects.toMatchObject({ reason: "login" });
  await expect(open()).rejects.toMatchObject(tooMany);
  expect(windows).toHaveLength(8);
});
