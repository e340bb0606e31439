// Addresses that a server names, so that this client asks what only this client can reach.
import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { oauth } from "allspeak/auth";
import { connect } from "allspeak/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { assertSafeAddress, toAddressPolicy } from "../../../src/auth/fetch/address-policy.ts";
import { createSafeFetch, type SafeFetch } from "../../../src/auth/fetch/safe-fetch.ts";
import { type Lookup, pinnedFetch } from "../../../src/node/pinned-fetch.ts";

const forbidden = [
  "http://169.254.169.254/latest/meta-data",
  "https://169.254.169.254/latest/meta-data",
  "http://10.0.0.1/",
  "https://10.0.0.1/",
  "https://172.16.0.1/",
  "https://192.168.1.1/",
  "https://100.64.0.1/",
  "https://[::ffff:10.0.0.1]/",
  "https://[::ffff:169.254.169.254]/",
  "https://[64:ff9b::a00:1]/",
  "https://[2002:a00:1::]/",
  "https://[64:ff9b:1::a00:1]/",
  "https://[::10.0.0.1]/",
  "https://[::7f00:1]/",
  "https://[100:0:0:1::1]/",
  "https://[fec0::1]/",
  "https://[fd00::1]/",
  "https://[fe80::1]/",
  "https://[::]/",
  "https://[::1]/",
  "https://0.0.0.0/",
  "https://0x7f.1/",
  "https://2130706433/",
  "https://127.1/",
  "https://0177.0.0.1/",
  "https://localhost/",
  "https://evil.localhost/",
  "https://LOCALHOST./",
  "http://127.0.0.1:8080/",
  "http://public.example/",
  "https://user:pass@public.example/",
  "ftp://public.example/",
  "file:///etc/passwd",
  "data:application/json,{}",
  "javascript:alert(1)",
];

/** A server that counts who comes. */
async function listen(answer = "{}", headers: Record<string, string> = {}, status = 200) {
  const visits: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    visits.push(request.url ?? "");
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(answer);
  });
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, visits, connections: () => connections };
}

/** Resolves every name to these addresses, one set after the other. */
function resolveTo(...answers: readonly string[][]): Lookup & { readonly asked: string[] } {
  const asked: string[] = [];
  const lookup: Lookup = (hostname, _options, callback) => {
    const found = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    const addresses: LookupAddress[] = found.map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4,
    }));
    callback(null, addresses);
  };
  return Object.assign(lookup, { asked });
}

function safeFetch(server: string, lookup: Lookup, privateHosts: string[] = []): SafeFetch {
  return createSafeFetch({
    policy: toAddressPolicy(new URL(server), privateHosts),
    fetch: (url, init, check) => pinnedFetch(url, init, check, lookup),
  });
}

describe("a server on the network", () => {
  it.each(forbidden)("can't make the client ask %s by its challenge", async (address) => {
    const asked: string[] = [];
    const challenge = { "www-authenticate": `Bearer resource_metadata="${address}"` };
    const atServer = async () => new Response(null, { status: 401, headers: challenge });
    const auth = oauth({
      redirectUri: "http://127.0.0.1:9/callback",
      authorize: async () => "",
      fetch: async (input) => {
        asked.push(String(input));
        return new Response(null, { status: 404 });
      },
    });
    const opening = connect("https://public.example/mcp", { auth, fetch: atServer, hints: new Map() });
    await expect(opening).rejects.toMatchObject({ code: "authorization", reason: "unsafe-address" });
    expect(asked).toEqual([]);
  });

  it.each([
    ["10.0.0.1"],
    ["127.0.0.1"],
    ["169.254.169.254"],
    ["::1"],
    ["::ffff:10.0.0.1"],
    ["fd00::1"],
    ["0.0.0.0"],
  ])("can't hide %s behind a name", async (address) => {
    const canary = await listen();
    const lookup = resolveTo([address]);
    const fetch = safeFetch("https://public.example/mcp", lookup);
    await expect(fetch(`https://innocent.example:${canary.port}/`)).rejects.toMatchObject({
      reason: "unsafe-address",
    });
    expect(lookup.asked).toEqual(["innocent.example"]);
    expect(canary.connections()).toBe(0);
  });

  it("can't hide a private address among public ones", async () => {
    const fetch = safeFetch("https://public.example/mcp", resolveTo(["192.0.32.8", "127.0.0.1"]));
    await expect(fetch("https://innocent.example/")).rejects.toMatchObject({ reason: "unsafe-address" });
  });

  it("can't be reached unencrypted, whatever its address", async () => {
    const auth = oauth({ redirectUri: "http://127.0.0.1:9/callback", authorize: async () => "" });
    const opening = connect("http://public.example/mcp", {
      auth,
      fetch: async () => new Response(null, { status: 401 }),
      hints: new Map(),
    });
    await expect(opening).rejects.toMatchObject({ reason: "unsafe-address" });
  });

  it("may have an authorization server with a private address when the host says so, and only that", () => {
    const policy = toAddressPolicy(new URL("https://public.example/mcp"), ["auth.corp.example"]);
    const check = (host: string) => assertSafeAddress("10.255.255.1", new URL(`https://${host}/`), policy);
    expect(() => check("auth.corp.example")).not.toThrow();
    expect(() => check("other.corp.example")).toThrow("privateHosts");
  });

  it("may never have one with a link-local address, even then", async () => {
    const fetch = safeFetch("https://public.example/mcp", resolveTo(["169.254.169.254"]), [
      "auth.corp.example",
    ]);
    await expect(fetch("https://auth.corp.example/")).rejects.toMatchObject({ reason: "unsafe-address" });
  });
});

describe("a redirect", () => {
  it.each(["http://10.0.0.1/", "https://169.254.169.254/", "https://[::ffff:a00:1]/", "file:///etc/passwd"])(
    "to %s is not followed",
    async (location) => {
      const canary = await listen("", { location }, 302);
      const fetch = safeFetch(`http://localhost:${canary.port}/mcp`, resolveTo(["127.0.0.1"]));
      await expect(fetch(`http://localhost:${canary.port}/`)).rejects.toMatchObject({
        reason: "unsafe-address",
      });
      expect(canary.visits).toEqual(["/"]);
    },
  );

  it("in a circle comes to an end", async () => {
    const canary = await listen("", { location: "/again" }, 302);
    const fetch = safeFetch(`http://localhost:${canary.port}/mcp`, resolveTo(["127.0.0.1"]));
    await expect(fetch(`http://localhost:${canary.port}/`)).rejects.toMatchObject({ reason: "discovery" });
    expect(canary.visits.length).toBeLessThanOrEqual(6);
  });

  it("of a request that carries secrets is not followed at all", async () => {
    const canary = await listen("", { location: "/elsewhere" }, 307);
    const fetch = safeFetch(`http://localhost:${canary.port}/mcp`, resolveTo(["127.0.0.1"]));
    const response = await fetch(`http://localhost:${canary.port}/token`, { method: "POST", body: "secret" });
    expect(response.status).toBe(307);
    expect(canary.visits).toEqual(["/token"]);
  });
});

describe("a name", () => {
  it("is resolved once: the connection goes to the address that was checked", async () => {
    const canary = await listen();
    const lookup = resolveTo(["127.0.0.1"], ["10.0.0.1"]);
    const fetch = safeFetch(`http://localhost:${canary.port}/mcp`, lookup);
    expect((await fetch(`http://auth.localhost:${canary.port}/`)).status).toBe(200);
    expect(lookup.asked).toEqual(["auth.localhost"]);
    expect(canary.connections()).toBe(1);
  });

  it("that looks like loopback is of no use when its address is not", async () => {
    const fetch = safeFetch("http://localhost:1/mcp", resolveTo(["10.0.0.1"]));
    await expect(fetch("http://auth.localhost/")).rejects.toMatchObject({ reason: "unsafe-address" });
  });
});
