import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { toAddressPolicy } from "../../../src/auth/fetch/address-policy.ts";
import { createSafeFetch } from "../../../src/auth/fetch/safe-fetch.ts";
import { pinnedFetch } from "../../../src/node/pinned-fetch.ts";

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const policy = toAddressPolicy(new URL("http://127.0.0.1/"));
const safely = (options: { maxBytes?: number; timeoutMs?: number } = {}) =>
  createSafeFetch({ policy, fetch: pinnedFetch, ...options });

describe("a fetch of what a stranger names", () => {
  it("gives status, headers and body", async () => {
    const url = await serve((_, response) => {
      response.writeHead(418, { "x-many": ["a", "b"] }).end("short and stout");
    });
    const response = await safely()(url);
    expect([response.status, response.headers.get("x-many"), await response.text()]).toEqual([
      418,
      "a, b",
      "short and stout",
    ]);
  });

  it("sends a form", async () => {
    const url = await serve(async (request, response) => {
      const chunks = await request.toArray();
      response.end(`${request.method} ${request.headers["content-type"]} ${Buffer.concat(chunks)}`);
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({ a: "b c" });
    expect(await (await safely()(url, { method: "POST", headers, body })).text()).toBe(
      "POST application/x-www-form-urlencoded a=b+c",
    );
  });

  it("follows a redirect of what is only read", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/") response.writeHead(302, { location: "/there" }).end();
      else response.end(request.url);
    });
    expect(await (await safely()(url)).text()).toBe("/there");
  });

  it.each([
    ["never answers", () => {}],
    ["never ends", (response: import("node:http").ServerResponse) => response.write("a")],
  ])("gives up on one that %s", async (_, answer) => {
    const url = await serve((_request, response) => void answer(response));
    const fetching = safely({ timeoutMs: 50 })(url);
    await expect(fetching).rejects.toMatchObject({ code: "authorization", reason: "unreachable" });
  });

  it("reads no more than it may, whatever is announced", async () => {
    const url = await serve((_, response) => void response.end("x".repeat(100)));
    expect((await safely({ maxBytes: 100 })(url)).status).toBe(200);
    await expect(safely({ maxBytes: 99 })(url)).rejects.toMatchObject({ reason: "discovery" });
  });

  it("reports an unreachable server", async () => {
    await expect(safely()("http://127.0.0.1:1/")).rejects.toMatchObject({ reason: "unreachable" });
  });

  it("reports a redirect whose target the platform hides", async () => {
    const hidden = Object.defineProperty(new Response(null), "type", { value: "opaqueredirect" });
    const fetch = createSafeFetch({ policy, fetch: async () => hidden });
    await expect(fetch("http://127.0.0.1/")).rejects.toMatchObject({ reason: "discovery" });
  });

  it("takes an answer without a body", async () => {
    const url = await serve((_, response) => void response.writeHead(204).end());
    expect(await (await safely()(url)).text()).toBe("");
  });
});
