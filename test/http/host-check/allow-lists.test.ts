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
  for (const wrong of [
    "null",
    "app.example.com",
    "file:///x",
    "*.example.com",
    "https://*",
    "https://a.*.com",
  ]) {
    expect(() => new HostCheck({ allowedOrigins: [wrong] })).toThrow(UsageError);
  }
  for (const wrong of [
    "https://example.com",
    "a b",
    "*example.com",
    "https://*.example.com",
    "a.*.com",
    "*.",
  ]) {
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

it("a pattern allows all hosts below a domain, and neither the domain itself nor another", () => {
  const hosts = new HostCheck({ allowedHosts: ["*.Example.com", "*.other.example:8443"] });
  const allows = (host: string) => hosts.hostRefusal({ header: () => host }) === undefined;
  for (const host of ["a.example.com", "a.b.example.com:81", "A.EXAMPLE.COM", "x.other.example:8443"])
    expect([host, allows(host)]).toEqual([host, true]);
  for (const host of [
    "example.com",
    "badexample.com",
    ".example.com",
    "..example.com",
    "a..example.com",
    "a.example.com.evil",
    "x.other.example",
  ])
    expect([host, allows(host)]).toEqual([host, false]);
  expect(hosts.warnings).toEqual([]);
});

it("a pattern allows all origins below a domain, with its scheme and its port", () => {
  const pages = new HostCheck({ allowedOrigins: ["https://*.example.com", "http://*.local.example:5173"] });
  const allows = (origin: string) => pages.allowsOrigin(origin, "localhost");
  for (const origin of ["https://a.example.com", "https://a.b.example.com", "http://x.local.example:5173"])
    expect([origin, allows(origin)]).toEqual([origin, true]);
  for (const origin of [
    "https://example.com",
    "http://a.example.com",
    "https://a.example.com:444",
    "https://badexample.com",
    "https://evil.example/.example.com",
    "https://evil.example#.example.com",
    "https://x@a.example.com",
    "null",
  ])
    expect([origin, allows(origin)]).toEqual([origin, false]);
});

it("an asterisk allows everything, and the log says what that means", async () => {
  const { server, reports } = createFixture();
  const running = await serveHttp(server, { allowedHosts: ["*"], allowedOrigins: ["*"] });
  const headers = { host: "any.example", origin: "https://page.example" };
  const answer = await exchange(running.url, { method: "OPTIONS", headers });
  expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([204, headers.origin]);
  expect(reports.map(({ message }) => message)).toEqual([
    expect.stringContaining("DNS rebinding"),
    expect.stringContaining("every web page"),
  ]);
  await running.close(0);
});
