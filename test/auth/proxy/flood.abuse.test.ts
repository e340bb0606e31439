import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { OverloadedError } from "../../../src/errors.ts";
import { memoryState, type State } from "../../../src/http.ts";
import { readPage } from "../../support/auth/browser.ts";
import {
  agree,
  askProxy,
  createBrowser,
  createTestProxy,
  logInThrough,
  logInUpstream,
  publicUrl,
  redeemAt,
  registerAt,
  tokenFrom,
} from "../../support/auth/test-proxy.ts";

/** A state whose store of values can be made to fail at a write. */
function createFailing(toError: () => Error = () => new OverloadedError("Full.")) {
  const memory = memoryState();
  let writesLeft = Number.POSITIVE_INFINITY;
  const write = () => {
    if (writesLeft-- <= 0) throw toError();
  };
  const state: State = {
    ...memory,
    isShared: true,
    values: {
      get: (key) => memory.values.get(key),
      remove: (key) => memory.values.remove(key),
      put: (key, value, ms) => {
        write();
        return memory.values.put(key, value, ms);
      },
      add: (key, value, ms) => {
        write();
        return memory.values.add(key, value, ms);
      },
    },
  };
  return {
    state,
    failAfter(writes: number) {
      writesLeft = writes;
    },
  };
}

/** The number of requests that a login takes in the store. */
const roomForOneLogin = 5;

describe("strangers take no room in the store", () => {
  test("by asking for logins that nobody goes on with", async () => {
    const { proxy } = await createTestProxy({ state: memoryState({ maxValues: roomForOneLogin }) });
    const { client_id: clientId } = await registerAt(proxy);
    for (let count = 0; count < 50; count++) {
      const { url } = await askProxy(proxy, clientId);
      expect((await proxy.fetch(new Request(url))).status).toBe(200);
    }
    const { url, verifier } = await askProxy(proxy, clientId);
    const answer = await logInThrough(createBrowser(proxy), url);
    expect((await redeemAt(proxy, { clientId, answer, verifier })).status).toBe(200);
  });

  test("by agreeing to logins that they never end", async () => {
    const { proxy } = await createTestProxy({ state: memoryState({ maxValues: roomForOneLogin }) });
    const { client_id: clientId } = await registerAt(proxy);
    for (let count = 0; count < 20; count++) {
      const browser = createBrowser(proxy);
      const agreed = await agree(browser, (await askProxy(proxy, clientId)).url);
      const state = new URL(agreed.headers.get("location") ?? "").searchParams.get("state");
      await browser.get(`${proxy.callbackUrl}?code=guessed&state=${state}`);
    }
    const { url, verifier } = await askProxy(proxy, clientId);
    const answer = await logInThrough(createBrowser(proxy), url);
    expect((await redeemAt(proxy, { clientId, answer, verifier })).status).toBe(200);
  });
});

test("a request that no cookie can carry is refused before the user is asked", async () => {
  const { proxy } = await createTestProxy();
  const { client_id: clientId } = await registerAt(proxy);
  const longest = await askProxy(proxy, clientId, { state: "x".repeat(2_000) });
  const browser = createBrowser(proxy);
  const agreed = await agree(browser, longest.url);
  for (const cookie of agreed.headers.getSetCookie()) expect(cookie.length).toBeLessThan(4_096);
  expect((await browser.get(await logInUpstream(browser, agreed))).status).toBe(303);
  const { url } = await askProxy(proxy, clientId, { state: "x".repeat(3_000) });
  const refused = await proxy.fetch(new Request(url));
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("error=invalid_request");
});

test("a sealed question is worth nothing as a login, nor to another proxy", async () => {
  const { proxy } = await createTestProxy();
  const other = await createTestProxy();
  const { client_id: clientId } = await registerAt(proxy);
  const browser = createBrowser(proxy);
  const page = await readPage(await browser.get((await askProxy(proxy, clientId)).url), publicUrl);
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    cookie: [...browser.jar(publicUrl)].map(([name, value]) => `${name}=${value}`).join("; "),
  };
  const body = new URLSearchParams({ ...page.hidden, decision: "allow" });
  const sent = (to: typeof proxy) => to.fetch(new Request(page.action, { method: "POST", body, headers }));
  expect((await sent(other.proxy)).status).toBe(403);
  expect((await sent(proxy)).status).toBe(303);
  const state = "x";
  const { sha256 } = await import("../../../src/lib/encoding/sha256.ts");
  const name = `__Host-allspeak-login-${(await sha256(state)).slice(0, 8)}`;
  const callback = new Request(`${proxy.callbackUrl}?code=1&state=${state}`, {
    headers: { cookie: `${name}=${page.hidden.ticket}` },
  });
  expect((await proxy.fetch(callback)).status).toBe(403);
});

describe("a store that fails between two writes", () => {
  const failures = [
    ["is full", () => new OverloadedError("Full.")],
    ["is down", () => new Error("ECONNREFUSED")],
  ] as const;

  describe.each(failures)("because it %s", (_, toError) => {
    test.each([0, 1])(
      "does not take the grant of a client that refreshes (%i writes succeed)",
      async (writes) => {
        const { state, failAfter } = createFailing(toError);
        const { proxy } = await createTestProxy({ state });
        const { client_id: clientId } = await registerAt(proxy);
        const { url, verifier } = await askProxy(proxy, clientId);
        const answer = await logInThrough(createBrowser(proxy), url);
        const { body } = await redeemAt(proxy, { clientId, answer, verifier });
        const form = {
          grant_type: "refresh_token",
          client_id: clientId,
          refresh_token: body.refresh_token ?? "",
        };
        failAfter(writes);
        const request = new Request(`${proxy.issuer}/token`, {
          method: "POST",
          body: new URLSearchParams(form),
        });
        const refused = await proxy.fetch(request);
        expect(refused.status).toBe(503);
        expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
        expect(await refused.json()).toMatchObject({ error: "temporarily_unavailable" });
        failAfter(Number.POSITIVE_INFINITY);
        expect((await tokenFrom(proxy, form)).status).toBe(200);
        expect((await tokenFrom(proxy, form)).body.error).toBe("invalid_grant");
      },
    );

    test.each([0, 1])(
      "does not take the code of a client that redeems it (%i writes succeed)",
      async (writes) => {
        const { state, failAfter } = createFailing(toError);
        const { proxy } = await createTestProxy({ state });
        const { client_id: clientId } = await registerAt(proxy);
        const { url, verifier } = await askProxy(proxy, clientId);
        const answer = await logInThrough(createBrowser(proxy), url);
        failAfter(writes);
        expect((await redeemAt(proxy, { clientId, answer, verifier })).status).toBe(503);
        failAfter(Number.POSITIVE_INFINITY);
        expect((await redeemAt(proxy, { clientId, answer, verifier })).status).toBe(200);
      },
    );

    test("tells the client of a login that it may try again", async () => {
      const { state, failAfter } = createFailing(toError);
      const { proxy } = await createTestProxy({ state });
      const { client_id: clientId } = await registerAt(proxy);
      const browser = createBrowser(proxy);
      const callback = await logInUpstream(
        browser,
        await agree(browser, (await askProxy(proxy, clientId)).url),
      );
      failAfter(0);
      const { searchParams } = new URL((await browser.get(callback)).headers.get("location") ?? "");
      expect(searchParams.get("error")).toBe("temporarily_unavailable");
    });
  });
});

describe("each address has a share", () => {
  const documents: Server[] = [];
  afterEach(() => {
    for (const server of documents.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  test("of the registrations, so that one does not use them up", async () => {
    const { proxy } = await createTestProxy({ maxRegistrationsPerHour: 10 });
    const register = async (address: string) => {
      const body = JSON.stringify({ redirect_uris: ["https://client.example/"] });
      const headers = { "content-type": "application/json" };
      const request = new Request(`${proxy.issuer}/register`, { method: "POST", body, headers });
      return (await proxy.fetch(request, { address })).status;
    };
    expect([await register("192.0.2.1"), await register("192.0.2.1")]).toEqual([201, 201]);
    for (let count = 0; count < 20; count++) expect(await register("192.0.2.1")).toBe(429);
    expect(await register("192.0.2.2")).toBe(201);
    expect([await register("2001:db8::1"), await register("2001:db8::2")]).toEqual([201, 201]);
    expect(await register("2001:db8::3")).toBe(429);
  });

  test("of the documents that are read, so that slow ones do not keep others from logging in", async () => {
    let asked = 0;
    let reached: (() => void) | undefined;
    const slow = createServer(() => {
      if (++asked === 4) reached?.();
    });
    documents.push(slow);
    await new Promise<void>((resolve) => void slow.listen(0, "127.0.0.1", resolve));
    const fast = createServer((request, response) => {
      const id = `http://127.0.0.1:${(fast.address() as AddressInfo).port}${request.url}`;
      response.setHeader("content-type", "application/json");
      const members = { client_name: "Fast", redirect_uris: ["https://client.example/callback"] };
      response.end(JSON.stringify({ client_id: id, ...members }));
    });
    documents.push(fast);
    await new Promise<void>((resolve) => void fast.listen(0, "127.0.0.1", resolve));
    const { proxy } = await createTestProxy({ publicUrl: "http://127.0.0.1:9" });
    const ask = async (server: Server, path: string, address: string) => {
      const id = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;
      return proxy.fetch(new Request((await askProxy(proxy, id)).url), { address });
    };
    const all = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const waiting = ["1", "2", "3", "4"].map((path) => ask(slow, path, "192.0.2.1"));
    await all;
    expect((await ask(fast, "5", "192.0.2.1")).status).toBe(503);
    expect((await ask(fast, "6", "192.0.2.2")).status).toBe(200);
    slow.closeAllConnections();
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(400);
  });

  test("a document that can't be used is not asked for again at once", async () => {
    let asked = 0;
    const broken = createServer((_, response) => {
      asked++;
      response.writeHead(500).end();
    });
    documents.push(broken);
    await new Promise<void>((resolve) => void broken.listen(0, "127.0.0.1", resolve));
    const { proxy } = await createTestProxy({ publicUrl: "http://127.0.0.1:9" });
    const id = `http://127.0.0.1:${(broken.address() as AddressInfo).port}/client`;
    for (let count = 0; count < 5; count++) {
      expect((await proxy.fetch(new Request((await askProxy(proxy, id)).url))).status).toBe(400);
    }
    expect(asked).toBe(1);
  });
});

describe("the cookies of logins that nobody ends", () => {
  const bytesIn = (jar: ReadonlyMap<string, string>) => [...jar].flat().join().length;

  test("leave room for the next login in the head of a request, and the last ones can be ended", async () => {
    const { proxy } = await createTestProxy();
    const { client_id: clientId } = await registerAt(proxy);
    const browser = createBrowser(proxy);
    const begun: URL[] = [];
    const verifiers: string[] = [];
    for (let count = 0; count < 20; count++) {
      const { url, verifier } = await askProxy(proxy, clientId, { state: "x".repeat(1_000) });
      verifiers.push(verifier);
      begun.push(await logInUpstream(createBrowser(proxy), await agree(browser, url)));
      expect(bytesIn(browser.jar(publicUrl))).toBeLessThan(12 * 1024);
    }
    const last = begun.at(-1) as URL;
    const answer = await browser.get(last);
    expect(answer.status).toBe(303);
    const redeemed = await redeemAt(proxy, {
      clientId,
      answer: new URL(answer.headers.get("location") ?? ""),
      verifier: verifiers.at(-1) ?? "",
    });
    expect(redeemed.status).toBe(200);
    expect((await browser.get(begun[0] as URL)).status).toBe(403);
  });

  test("leave room after pages of consent that any site can open", async () => {
    const { proxy } = await createTestProxy();
    const { client_id: clientId } = await registerAt(proxy);
    const browser = createBrowser(proxy);
    for (let count = 0; count < 200; count++) await browser.get((await askProxy(proxy, clientId)).url);
    expect(bytesIn(browser.jar(publicUrl))).toBeLessThan(8 * 1024);
    const { url, verifier } = await askProxy(proxy, clientId);
    const answer = await logInThrough(browser, url);
    expect((await redeemAt(proxy, { clientId, answer, verifier })).status).toBe(200);
  });
});
