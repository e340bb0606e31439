import type { DevAuthOptions } from "allspeak/auth/dev";
import { decodeJwt } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Browser, readPage } from "../../support/auth/browser.ts";
import {
  agree,
  askProxy,
  createBrowser,
  createTestProxy,
  logInThrough,
  logInUpstream,
  publicUrl,
  redeemAt,
  redirectUri,
  registerAt,
  resource,
} from "../../support/auth/test-proxy.ts";

afterEach(() => vi.useRealTimers());

async function isNowhere(response: Response, status = 403): Promise<void> {
  expect(response.status).toBe(status);
  expect(response.headers.has("location")).toBe(false);
  expect(await response.text()).not.toMatch(/[?&]code=/);
}

describe("the confused deputy", () => {
  test("no client reaches the provider without the user, though another was allowed before", async () => {
    const { proxy, upstream } = await createTestProxy();
    const browser = createBrowser(proxy);
    const honest = await askProxy(proxy, (await registerAt(proxy)).client_id);
    expect((await logInThrough(browser, honest.url)).searchParams.has("code")).toBe(true);
    const evil = await registerAt(proxy, { redirect_uris: ["https://evil.example/callback"] });
    const asked = await askProxy(proxy, evil.client_id, { redirect_uri: "https://evil.example/callback" });
    const response = await browser.get(asked.url);
    expect(response.status).toBe(200);
    const page = await response.text();
    expect(page).toContain("https://evil.example/callback");
    expect(page).toContain(new URL(upstream.issuer).host);
  });

  test("the same client is asked about again", async () => {
    const { proxy } = await createTestProxy();
    const browser = createBrowser(proxy);
    const { client_id: id } = await registerAt(proxy);
    await logInThrough(browser, (await askProxy(proxy, id)).url);
    expect((await browser.get((await askProxy(proxy, id)).url)).status).toBe(200);
  });

  test.each([
    "https://evil.example/callback",
    "https://client.example/callback/",
    "https://client.example/callback?next=https://evil.example",
    "https://client.example/callback#part",
    "https://client.example:8443/callback",
    "https://client.example@evil.example/callback",
    "https://client.example.evil.example/callback",
    "https://CLIENT.example/callback",
    "https://client.example/%63allback",
    "https://client.example/x/../callback",
    "http://client.example/callback",
    "//client.example/callback",
    "javascript:alert(1)",
  ])("nobody is sent to %s, which was not registered", async (uri) => {
    const { proxy } = await createTestProxy();
    const { client_id: id } = await registerAt(proxy);
    const { url } = await askProxy(proxy, id, { redirect_uri: uri });
    await isNowhere(await createBrowser(proxy).get(url), 400);
  });

  test("nothing that ends a login exists before the user agrees", async () => {
    const { proxy } = await createTestProxy();
    const browser = createBrowser(proxy);
    const { url } = await askProxy(proxy, (await registerAt(proxy)).client_id);
    const page = await readPage(await browser.get(url), publicUrl);
    expect([...browser.jar(publicUrl).keys()].filter((name) => name.includes("login"))).toEqual([]);
    for (const state of [page.hidden.ticket ?? "", "the client's own", ""]) {
      const callback = new URL(`${proxy.callbackUrl}?code=stolen`);
      callback.searchParams.set("state", state);
      await isNowhere(await browser.get(callback));
    }
  });

  test("a user who denies sends the client an error, and is not sent to the provider", async () => {
    const { proxy } = await createTestProxy();
    const browser = createBrowser(proxy);
    const { url } = await askProxy(proxy, (await registerAt(proxy)).client_id);
    const page = await readPage(await browser.get(url), publicUrl);
    const denied = await browser.submit(page, { decision: "deny" });
    const { origin, searchParams } = new URL(denied.headers.get("location") ?? "");
    expect(origin).toBe(new URL(redirectUri).origin);
    expect(searchParams.get("error")).toBe("access_denied");
  });

  test("consent works only from the page, in its browser, once", async () => {
    const { proxy } = await createTestProxy();
    const browser = createBrowser(proxy);
    const { url } = await askProxy(proxy, (await registerAt(proxy)).client_id);
    const page = await readPage(await browser.get(url), publicUrl);
    const yes = { decision: "allow" };
    await isNowhere(await createBrowser(proxy).submit(page, yes));
    await isNowhere(await browser.submit(page, yes, { origin: "https://evil.example" }));
    await isNowhere(await browser.submit(page, yes, { origin: "null" }));
    await isNowhere(await browser.submit(page, yes, { "sec-fetch-site": "same-site" }));
    await isNowhere(await browser.submit(page, { ...yes, ticket: "guessed" }));
    await isNowhere(await browser.get(`${page.action}?ticket=${page.hidden.ticket}&decision=allow`), 405);
    expect((await browser.submit(page, yes, { origin: publicUrl })).status).toBe(303);
    await isNowhere(await browser.submit(page, yes, { origin: publicUrl }));
  });

  test("a question that was left open for ten minutes is over", async () => {
    const { proxy } = await createTestProxy();
    const browser = createBrowser(proxy);
    const { url } = await askProxy(proxy, (await registerAt(proxy)).client_id);
    const page = await readPage(await browser.get(url), publicUrl);
    passMinutes(10);
    await isNowhere(await browser.submit(page, { decision: "allow" }));
  });

  test("the page cannot be framed, and escapes the client's metadata", async () => {
    const { proxy } = await createTestProxy();
    const name = `</strong><script>alert(1)</script><img src=x onerror="alert(1)">`;
    const { client_id: id } = await registerAt(proxy, { client_name: name });
    const response = await createBrowser(proxy).get((await askProxy(proxy, id, { scope: "read" })).url);
    expect(response.headers.get("content-security-policy")).toMatch("frame-ancestors 'none'");
    expect(response.headers.get("x-frame-options")).toBe("DENY");
    const page = await response.text();
    expect(page).not.toMatch(/<script|<img/);
    for (const shown of ["&lt;script&gt;", redirectUri, resource, "read"]) expect(page).toContain(shown);
  });

  test("every cookie is of this host alone, and out of reach of scripts", async () => {
    const { proxy } = await createTestProxy();
    const heard: Response[] = [];
    const browser = createBrowser(proxy, heard);
    await logInThrough(browser, (await askProxy(proxy, (await registerAt(proxy)).client_id)).url);
    const cookies = heard.flatMap((response) => response.headers.getSetCookie());
    expect(cookies.length).toBeGreaterThanOrEqual(3);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^__Host-[\w-]+=/);
      for (const attribute of ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"]) {
        expect(cookie.split("; ")).toContain(attribute);
      }
      expect(cookie).not.toMatch(/Domain=/i);
      expect(Number(/Max-Age=(\d+)/.exec(cookie)?.[1])).toBeLessThanOrEqual(600);
    }
  });

  test("a code is worth nothing to another client, nor without its verifier", async () => {
    const { proxy } = await createTestProxy();
    const honest = (await registerAt(proxy)).client_id;
    const evil = (await registerAt(proxy)).client_id;
    const { url, verifier } = await askProxy(proxy, honest);
    const answer = await logInThrough(createBrowser(proxy), url);
    expect((await redeemAt(proxy, { clientId: evil, answer, verifier })).body.error).toBe("invalid_grant");
    const guessed = { clientId: honest, answer, verifier: "x".repeat(43) };
    expect((await redeemAt(proxy, guessed)).body.error).toBe("invalid_grant");
  });

  test("a token is the proxy's own, good for its resource alone, and none of the provider's is ever seen", async () => {
    const canaries: string[] = [];
    const { proxy, upstream } = await createTestProxy({
      admit: ({ tokens }) => {
        canaries.push(tokens.accessToken, tokens.refreshToken ?? "");
        return true;
      },
    });
    const heard: Response[] = [];
    const { client_id: clientId } = await registerAt(proxy);
    const { url, verifier } = await askProxy(proxy, clientId);
    const answer = await logInThrough(createBrowser(proxy, heard), url);
    const { body } = await redeemAt(proxy, { clientId, answer, verifier });
    expect(decodeJwt(body.access_token ?? "")).toMatchObject({
      iss: publicUrl,
      aud: resource,
      sub: "alice",
      client_id: clientId,
    });
    const said = [JSON.stringify(body), answer.href];
    for (const response of heard) said.push(await response.text(), JSON.stringify([...response.headers]));
    expect(canaries).toHaveLength(2);
    for (const canary of canaries) {
      expect(canary.length).toBeGreaterThan(20);
      expect(said.join("\n")).not.toContain(canary);
    }
    expect(decodeJwt(canaries[0] ?? "").iss).toBe(upstream.issuer);
  });

  test("no token is given for another service", async () => {
    const { proxy } = await createTestProxy();
    const { client_id: id } = await registerAt(proxy);
    for (const other of ["https://other.example/mcp", `${resource}/`, "https://mcp.example/"]) {
      const { url } = await askProxy(proxy, id, { resource: other });
      const answer = await createBrowser(proxy).get(url);
      expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
      expect(await answer.text()).toContain("error=invalid_target");
    }
  });
});

describe("the callback", () => {
  async function begin() {
    const { proxy, upstream } = await createTestProxy();
    const browser = createBrowser(proxy);
    const { url } = await askProxy(proxy, (await registerAt(proxy)).client_id);
    const agreed = await agree(browser, url);
    return { proxy, upstream, browser, url, callback: await logInUpstream(browser, agreed) };
  }

  test("refuses a browser without consent", async () => {
    const { proxy, callback, browser } = await begin();
    await isNowhere(await createBrowser(proxy).get(callback));
    expect((await browser.get(callback)).status).toBe(303);
  });

  test("refuses the cookie of another login", async () => {
    const { proxy, callback, browser } = await begin();
    const victim = createBrowser(proxy);
    await agree(victim, (await askProxy(proxy, (await registerAt(proxy)).client_id)).url);
    await isNowhere(await victim.get(callback));
    // Even under the name that this login's has.
    const [name = ""] = loginCookies(browser);
    const [, value = ""] = [...victim.jar(publicUrl)].find(([key]) => key.includes("login")) ?? [];
    victim.jar(publicUrl).set(name, value);
    await isNowhere(await victim.get(callback));
  });

  test("refuses two cookies of one name", async () => {
    const { proxy, callback, browser } = await begin();
    const [name = ""] = loginCookies(browser);
    const pairs = [`${name}=planted`, `${name}=${browser.jar(publicUrl).get(name)}`];
    for (const cookie of [pairs.join("; "), pairs.reverse().join("; ")]) {
      await isNowhere(await proxy.fetch(new Request(callback, { headers: { cookie } })));
    }
  });

  test("refuses what was used before", async () => {
    const { callback, browser } = await begin();
    const cookies = new Map(browser.jar(publicUrl));
    expect((await browser.get(callback)).status).toBe(303);
    for (const [name, value] of cookies) browser.jar(publicUrl).set(name, value);
    await isNowhere(await browser.get(callback));
  });

  test("gives one code when it comes twice at the same time", async () => {
    const { callback, browser } = await begin();
    const both = await Promise.all([browser.get(callback), browser.get(callback)]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 403]);
  });

  test("refuses what comes after ten minutes", async () => {
    const { callback, browser } = await begin();
    passMinutes(10);
    await isNowhere(await browser.get(callback));
  });

  test("refuses a state that is missing, twice there or made up", async () => {
    const { callback, browser } = await begin();
    const without = new URL(callback);
    without.searchParams.delete("state");
    const twice = new URL(callback);
    twice.searchParams.append("state", "more");
    const guessed = new URL(callback);
    guessed.searchParams.set("state", "x".repeat(43));
    for (const url of [without, twice, guessed]) await isNowhere(await browser.get(url));
  });

  test.each([
    ["of another issuer", { iss: "https://evil.example" }],
    ["with another's code", { code: "stolen" }],
    ["with an error", { error: "server_error" }],
  ])("gives no code for an answer %s", async (_, change) => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    const { callback, browser } = await begin();
    for (const [name, value] of Object.entries(change)) callback.searchParams.set(name, value);
    const { headers } = await browser.get(callback);
    const { searchParams } = new URL(headers.get("location") ?? "");
    expect(searchParams.get("error")).toBe("temporarily_unavailable");
    expect(searchParams.has("code")).toBe(false);
    error.mockRestore();
  });
});

describe("the provider's response", () => {
  /** A provider whose answers somebody changes on the way. */
  async function logInThroughLiar(
    intercept: NonNullable<DevAuthOptions["intercept"]>,
  ): Promise<URLSearchParams> {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    const { proxy } = await createTestProxy({}, { intercept });
    const { url } = await askProxy(proxy, (await registerAt(proxy)).client_id);
    const browser = createBrowser(proxy);
    const sites = [publicUrl, new URL((await agree(browser, url)).headers.get("location") ?? "").origin];
    const answer = await browser.follow(await agree(browser, url), sites);
    error.mockRestore();
    return new URL(answer.headers.get("location") ?? "").searchParams;
  }

  test("is believed when it is signed by its key, for this login", async () => {
    expect((await logInThroughLiar(() => undefined)).has("code")).toBe(true);
  });

  test("is not believed when another key has signed it", async () => {
    const { keys } = await createTestProxy().then(({ proxy }) => proxy.jwks);
    const answer = await logInThroughLiar(({ url }) =>
      url.endsWith("/jwks") ? Response.json({ keys }) : undefined,
    );
    expect(Object.fromEntries(answer)).toMatchObject({ error: "temporarily_unavailable" });
  });

  test("is not believed when it was said for another login", async () => {
    const answer = await logInThroughLiar(({ url }) => {
      const asked = new URL(url);
      if (asked.searchParams.get("nonce")?.length !== 43) return undefined;
      asked.searchParams.set("nonce", "another");
      return new Response(null, { status: 303, headers: { location: asked.href } });
    });
    expect(Object.fromEntries(answer)).toMatchObject({ error: "temporarily_unavailable" });
  });
});

function loginCookies(browser: Browser): string[] {
  return [...browser.jar(publicUrl).keys()].filter((name) => name.includes("login"));
}

/** A moment more than so many minutes. */
function passMinutes(minutes: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000 + 1 });
}
