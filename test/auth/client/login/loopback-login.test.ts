import { loopbackLogin } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";

const forever = new AbortController().signal;

async function begin(options: Parameters<typeof loopbackLogin>[0] = {}, redirectUris: string[] = []) {
  const login = await loopbackLogin({ open: () => {}, ...options })({ redirectUris });
  onTestFinished(() => login.close?.());
  const at = (query: string, init?: RequestInit) => fetch(`${login.redirectUri}${query}`, init);
  return { login, at, url: new URL("https://auth.example/authorize?state=mine") };
}

describe("a login by loopback", () => {
  it("gives the address that the user came back to", async () => {
    const { login, at, url } = await begin();
    const back = login.authorize(url, forever);
    const page = await at("?code=1&state=mine&iss=x");
    expect(String(await back)).toBe(`${login.redirectUri}?code=1&state=mine&iss=x`);
    expect(await page.text()).toContain("close this window");
    expect(page.headers.get("content-security-policy")).toBe("default-src 'none'");
  });

  it("gives the whole of a query that has a question mark in it", async () => {
    const { login, at, url } = await begin();
    const back = login.authorize(url, forever);
    await at("?state=mine&code=a?b");
    expect(new URL(String(await back)).searchParams.get("code")).toBe("a?b");
  });

  it("ends with the redirect, though the window is still open", async () => {
    const { login, at, url } = await begin({ open: () => new Promise(() => {}) });
    const back = login.authorize(url, forever);
    await at("?code=1&state=mine");
    expect(String(await back)).toContain("code=1");
  });

  it("ignores requests without the state of the login", async () => {
    const { login, at, url } = await begin();
    const back = login.authorize(url, forever);
    expect((await at("?code=evil&state=other")).status).toBe(404);
    expect((await at("?code=evil")).status).toBe(404);
    expect((await at("", { method: "POST", body: "code=evil&state=mine" })).status).toBe(404);
    expect((await at("/deeper?code=evil&state=mine")).status).toBe(404);
    await at("?code=good&state=mine");
    expect(String(await back)).toContain("code=good");
  });

  it("listens on this machine only, and no longer than it lasts", async () => {
    const { login, at } = await begin();
    expect(new URL(login.redirectUri).hostname).toBe("127.0.0.1");
    await login.close?.();
    await expect(at("?code=1&state=mine")).rejects.toThrow();
  });

  it("comes back to the address that the client is registered with", async () => {
    const first = await begin();
    await first.login.close?.();
    const { login } = await begin({}, ["https://elsewhere.example/", first.login.redirectUri]);
    expect(login.redirectUri).toBe(first.login.redirectUri);
  });

  it("takes another address where that one is taken", async () => {
    const first = await begin();
    const { login } = await begin({}, [first.login.redirectUri]);
    expect(login.redirectUri).not.toBe(first.login.redirectUri);
  });

  it("fails where the requested port is in use", async () => {
    const first = await begin();
    const port = Number(new URL(first.login.redirectUri).port);
    await expect(begin({ port })).rejects.toMatchObject({ code: "authorization", reason: "login" });
  });

  it.each([
    ["the whole address", "http://127.0.0.1:1/callback?code=7&state=mine", "7"],
    ["only the code", " 7 ", "7"],
  ])("takes %s from a user who pastes it", async (_, pasted, code) => {
    const { login, url } = await begin({ paste: async () => pasted });
    const back = new URL(String(await login.authorize(url, forever)));
    expect(back.searchParams.get("code")).toBe(code);
    expect(back.searchParams.get("state")).toBe("mine");
  });

  it("ends when it is given up", async () => {
    const { login, url } = await begin();
    const controller = new AbortController();
    const back = login.authorize(url, controller.signal);
    controller.abort();
    await expect(back).rejects.toMatchObject({ reason: "login" });
  });

  it("fails when the URL cannot be opened", async () => {
    const { login, url } = await begin({ open: () => Promise.reject(new Error("no screen")) });
    await expect(login.authorize(url, forever)).rejects.toThrow("no screen");
  });
});
