import { describe, expect, it } from "vitest";
import { isCanonicalLoopbackHost, isLoopbackHost } from "../../src/lib/loopback.ts";

/** host, whether it is loopback in any spelling, whether it is so in the spelling of URLs and for every resolver */
const table: readonly (readonly [string, boolean, boolean])[] = [
  ["localhost", true, true],
  ["127.0.0.1", true, true],
  ["127.255.255.254", true, true],
  ["::1", true, true],
  ["[::1]", true, true],
  ["LOCALHOST", true, false],
  ["localhost.", true, false],
  ["foo.localhost", true, false],
  ["a.b.localhost.", true, false],
  ["0:0:0:0:0:0:0:1", true, false],
  ["[0:0:0:0:0:0:0:1]", true, false],
  ["0000::0001", true, false],
  ["::1%lo", true, false],
  ["::ffff:127.0.0.1", true, false],
  ["[::ffff:127.0.0.1]", true, false],
  ["[::ffff:7f00:1]", true, false],
  ["127.0.0.1.", true, false],
  ["127.1", false, false],
  ["127.999.1.1", false, false],
  ["127.0.0.01", false, false],
  ["127.0.0.1.evil.example", false, false],
  ["0.0.0.0", false, false],
  ["128.0.0.1", false, false],
  ["10.0.0.1", false, false],
  ["::", false, false],
  ["::2", false, false],
  ["1::1", false, false],
  ["::127.0.0.1", false, false],
  ["::ffff:128.0.0.1", false, false],
  ["::ffff:127.0.0.256", false, false],
  ["::1::", false, false],
  ["0:0:0:0:0:0:0:0:1", false, false],
  ["fe80::1", false, false],
  ["localhost.evil.example", false, false],
  ["evillocalhost", false, false],
  [".localhost.evil", false, false],
  ["localhost:80", false, false],
  ["example.com", false, false],
  ["", false, false],
  [".", false, false],
];

describe("a host of this machine", () => {
  it.each(table)("%s: any spelling %s, canonical %s", (host, isLoopback, isCanonical) => {
    expect(isLoopbackHost(host)).toBe(isLoopback);
    expect(isCanonicalLoopbackHost(host)).toBe(isCanonical);
  });

  it.each([
    ["http://127.1/", "127.0.0.1"],
    ["http://0x7f.1/", "127.0.0.1"],
    ["http://2130706433/", "127.0.0.1"],
    ["http://LocalHost/", "localhost"],
    ["http://[0:0:0:0:0:0:0:1]/", "[::1]"],
  ])("%s is spelled %s by URL, which both take", (url, hostname) => {
    expect(new URL(url).hostname).toBe(hostname);
    expect(isLoopbackHost(hostname)).toBe(true);
    expect(isCanonicalLoopbackHost(hostname)).toBe(true);
  });
});
