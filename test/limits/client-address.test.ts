import { describe, expect, it, test } from "vitest";
import { readClientAddress } from "../../src/contract/caller/client-address.ts";
import { toAddressKey } from "../../src/lib/bounded/address-key.ts";
import { isCanonicalLoopbackHost } from "../../src/lib/loopback.ts";

function request(address: string | undefined, headers: { [name: string]: string } = {}) {
  return { address, header: (name: string) => headers[name] };
}

describe("the address of a client", () => {
  it("is that of its connection, whatever its headers claim", () => {
    const claims = { "x-forwarded-for": "1.2.3.4", forwarded: "for=1.2.3.4", "x-real-ip": "1.2.3.4" };
    expect(readClientAddress(request("203.0.113.9", claims))).toBe("203.0.113.9");
    expect(readClientAddress(request(undefined, claims))).toBeUndefined();
  });

  it("is what the last of the trusted proxies saw", () => {
    const headers = { "x-forwarded-for": "6.6.6.6, 198.51.100.7, 10.0.0.2" };
    expect(readClientAddress(request("10.0.0.1", headers), 1)).toBe("10.0.0.2");
    expect(readClientAddress(request("10.0.0.1", headers), 2)).toBe("198.51.100.7");
    expect(readClientAddress(request("10.0.0.1", headers), 9)).toBe("6.6.6.6");
  });

  it("is taken from the header that is named", () => {
    const headers = { "cf-connecting-ip": "198.51.100.7", "x-forwarded-for": "6.6.6.6" };
    expect(readClientAddress(request(undefined, headers), "CF-Connecting-IP")).toBe("198.51.100.7");
  });

  test.each([
    ["198.51.100.7:4711", "198.51.100.7"],
    ["[2001:db8::1]:443", "2001:db8::1"],
    ["2001:DB8::1", "2001:db8::1"],
    ["::ffff:198.51.100.7", "198.51.100.7"],
    ["fe80::1%eth0", "fe80::1"],
  ])("%s is read as %s", (claimed, address) => {
    expect(readClientAddress(request("10.0.0.1", { "x-forwarded-for": claimed }), 1)).toBe(address);
  });

  test.each(["", "unknown", "_hidden", "evil.example", "1.2.3", "a".repeat(100), "1.2.3.4\u0000", "[::1"])(
    "%j is no address, so the connection's counts",
    (claimed) => {
      expect(readClientAddress(request("10.0.0.1", { "x-forwarded-for": claimed }), 1)).toBe("10.0.0.1");
    },
  );

  it("of IPv4 in the form of IPv6 is the IPv4 one", () => {
    expect(readClientAddress(request("::ffff:127.0.0.1"))).toBe("127.0.0.1");
    expect(isCanonicalLoopbackHost("127.0.0.1")).toBe(true);
    expect(isCanonicalLoopbackHost("::1")).toBe(true);
    expect(isCanonicalLoopbackHost("127.0.0.1.evil.example")).toBe(false);
  });
});

describe("what limits count by", () => {
  it("is an IPv4 address as it is", () => {
    expect(toAddressKey("198.51.100.7")).toBe("198.51.100.7");
  });

  test.each([
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002:ffff::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:0:0:9::", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
  ])("is the network of %s", (address, key) => {
    expect(toAddressKey(address)).toBe(key);
  });
});
