import { type DeviceCode, deviceCode } from "allspeak/auth";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connectFailure, connectWithOAuth } from "../../../support/auth/connect-with-oauth.ts";
import {
  defaultServerMetadata,
  type FakeOAuthServer,
  startFakeOAuthServer,
} from "../../../support/auth/fake-oauth-server.ts";

/** An authorization server whose answers to the device come from a list, the last one again and again. */
function serve(
  answers: readonly object[],
  verificationUri = "https://auth.example/device",
  { expiresIn = 60, interval = 0.001 } = {},
) {
  let asked = 0;
  return startFakeOAuthServer({
    serverMetadata: (world: FakeOAuthServer) => ({
      ...defaultServerMetadata(world),
      device_authorization_endpoint: `${new URL(world.issuer).origin}/device`,
    }),
    intercept: ({ path, body }, response, world) => {
      if (path !== "/device" && body.grant_type !== "urn:ietf:params:oauth:grant-type:device_code")
        return undefined;
      const code = {
        device_code: "for-the-device",
        user_code: "WDJB-MJHT",
        verification_uri: verificationUri,
        expires_in: expiresIn,
        interval,
      };
      const answer = path === "/device" ? code : (answers[Math.min(asked++, answers.length - 1)] ?? {});
      world.accessTokens.set("by-device", { family: "none", scopes: [] });
      response.writeHead("error" in answer ? 400 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer));
      return true;
    },
  });
}

const pending = { error: "authorization_pending" };
const token = { access_token: "by-device", token_type: "bearer" };

describe("a device code", () => {
  it("is shown, and exchanged once the user has logged in", async () => {
    const world = await serve([pending, pending, token]);
    const shown: DeviceCode[] = [];
    const client = await connectWithOAuth(world, { grant: deviceCode({ show: (code) => shown.push(code) }) });
    await client.tools.call("echo", {});
    expect(shown).toEqual([
      { userCode: "WDJB-MJHT", url: "https://auth.example/device", expiresInSeconds: 60 },
    ]);
    expect(world.at("/token")).toHaveLength(3);
    expect(world.at("/device")[0]?.body.resource).toBe(world.url);
  });

  it("fails when the user denies the request", async () => {
    const world = await serve([pending, { error: "access_denied" }]);
    expect(await connectFailure(world, { grant: deviceCode({ show: () => {} }) })).toMatchObject({
      reason: "refused",
      message: expect.stringContaining("access_denied"),
    });
  });

  it("is given up when it has ended", async () => {
    const world = await serve([pending], undefined, { expiresIn: 0.05 });
    expect(await connectFailure(world, { grant: deviceCode({ show: () => {} }) })).toMatchObject({
      reason: "login",
    });
  });

  it("is not asked for at once where the server wants a pause that no timer can hold", async () => {
    const world = await serve([pending], undefined, { expiresIn: 0.2, interval: 1e10 });
    expect(await connectFailure(world, { grant: deviceCode({ show: () => {} }) })).toMatchObject({
      reason: "login",
    });
    expect(world.at("/token").length).toBeLessThanOrEqual(1);
  });

  it("ends after an hour, however long the server says that it lasts", async () => {
    const world = await serve([pending], undefined, { expiresIn: 1e300, interval: 1800 });
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let failing: Promise<unknown> | undefined;
    const shown = await new Promise<DeviceCode>((show) => {
      failing = connectFailure(world, { grant: deviceCode({ show }) });
    });
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(await failing).toMatchObject({ reason: "login" });
    expect(shown.expiresInSeconds).toBe(3_600);
  });

  it("needs an authorization server that gives such codes", async () => {
    const world = await startFakeOAuthServer();
    expect(await connectFailure(world, { grant: deviceCode({ show: () => {} }) })).toMatchObject({
      reason: "metadata",
    });
  });

  it.each([
    "javascript:alert(1)",
    "http://evil.example/device",
    "http://localhost:x@evil.example/device",
    "https://user@evil.example/device",
    "https://10.0.0.1/device",
    "https://evil.example/\u202Edevice",
    "//evil.example/device",
  ])("with the address %j is not shown", async (address) => {
    const world = await serve([token], address);
    const shown: DeviceCode[] = [];
    const grant = deviceCode({ show: (code) => shown.push(code) });
    expect(await connectFailure(world, { grant })).toMatchObject({ reason: "unsafe-address" });
    expect(shown).toEqual([]);
  });
});
