import { expect, it } from "vitest";
import { UsageError } from "../../../src/errors.ts";
import { HostCheck } from "../../../src/guard/host-check.ts";
import { serveHttp } from "../../../src/node.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";

it("an empty allow-list does not open a server to the network", async () => {
  await expect(serveHttp(createFixture().server, { host: "0.0.0.0", allowedHosts: [] })).rejects.toThrow(
    UsageError,
  );
});

it("a server on another address of this machine answers under that address", async () => {
  const running = await serveHttp(createFixture().server, { host: "127.0.0.2" });
  const url = `http://127.0.0.2:${running.port}/mcp`;
  expect((await exchange(url, { method: "OPTIONS" })).status).toBe(204);
  await running.close(0);
});

it("an origin is allowed however it is spelt, and what is no origin is refused at once", () => {
  const site = new HostCheck({ allowedOrigins: ["https://App.example.com/"] });
  expect(site.allowsOrigin("https://app.example.com", "localhost")).toBe(true);
  for (const wrong of ["*", "null", "app.example.com", "file:///x"]) {
    expect(() => new HostCheck({ allowedOrigins: [wrong] })).toThrow(UsageError);
  }
  for (const wrong of ["*", "https://example.com", "a b"]) {
    expect(() => new HostCheck({ allowedHosts: [wrong] })).toThrow(UsageError);
  }
  expect(() => new HostCheck({ publicUrl: "example.com" })).toThrow(UsageError);
});

it("a page of the plain http of a site that is on https is another site", () => {
  const site = new HostCheck({ publicUrl: "https://example.com/mcp", allowedHosts: ["other.example"] });
  expect(site.allowsOrigin("https://example.com", "example.com")).toBe(true);
  expect(site.allowsOrigin("http://example.com", "example.com")).toBe(false);
  expect(site.allowsOrigin("http://example.com:8080", "example.com:8080")).toBe(false);
  expect(site.allowsOrigin("http://localhost:3000", "localhost:3000")).toBe(true);
  const plain = new HostCheck({ publicUrl: "http://intranet.example/mcp" });
  expect(plain.allowsOrigin("http://intranet.example", "intranet.example")).toBe(true);
});

it("a server on every address is refused at start without the names that it serves, whoever identifies callers", async () => {
  const identify = () => ({ issuer: "i", subject: "s" });
  const { server } = createFixture();
  await expect(serveHttp(server, { host: "0.0.0.0", identify })).rejects.toThrow(/publicUrl or allowedHosts/);
  const running = await serveHttp(server, { host: "0.0.0.0", identify, allowedHosts: ["example.com"] });
  const url = `http://127.0.0.1:${running.port}/mcp`;
  expect((await exchange(url, { method: "OPTIONS", headers: { host: "example.com" } })).status).toBe(204);
  await running.close(0);
});
