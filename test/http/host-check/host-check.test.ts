import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HostCheckOptions } from "../../../src/guard/allow-list.ts";
import { HostCheck } from "../../../src/guard/host-check.ts";
import { isCanonicalLoopbackHost } from "../../../src/lib/loopback.ts";

const refusal = (headers: Record<string, string>, options?: HostCheckOptions) =>
  new HostCheck(options).refusal({ header: (name) => headers[name] });

describe("the guard of a site", () => {
  it("lets no host in but this machine's", () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.string(), fc.webAuthority()), (host) => {
        fc.pre(!isCanonicalLoopbackHost(host.toLowerCase().replace(/:\d+$/, "")));
        expect(refusal({ host })).toContain("is not allowed");
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "localhost@evil.example",
    "localhost:80:80",
    "localhost:",
    "localhost:999999",
    "localhost.",
    "127.0.0.1/",
    "127.1",
    "0.0.0.0",
    "[::ffff:127.0.0.1]",
    "[::1",
    "::1",
    "localhost, evil.example",
    "localhost evil",
    "",
  ])("is not deceived by the host %j", (host) => {
    expect(refusal({ host })).toContain("is not allowed");
  });

  it.each([
    "null",
    "http://localhost.evil",
    "http://evil.example",
    "localhost:3000",
    "http://localhost:3001",
    "://",
    "",
  ])("is not deceived by the origin %j", (origin) => {
    expect(refusal({ host: "localhost:3000", origin })).toContain("is not allowed");
  });

  it("does not let what it refuses write its message", () => {
    const told = refusal({ host: `evil"\r\nSet-Cookie: x=1; ${"y".repeat(1000)}` }) ?? "";
    expect(told).not.toContain("\n");
    expect(told.length).toBeLessThan(250);
  });

  it("trusts an allowed origin more than what the browser says of the site", () => {
    const headers = { host: "localhost", "sec-fetch-site": "cross-site" };
    expect(refusal(headers)).toContain("other sites");
    expect(
      refusal({ ...headers, origin: "https://a.example" }, { allowedOrigins: ["https://a.example"] }),
    ).toBe(undefined);
    expect(refusal({ ...headers, "sec-fetch-site": "same-origin" })).toBeUndefined();
    expect(refusal({ ...headers, "sec-fetch-site": "none" })).toBeUndefined();
  });
});
