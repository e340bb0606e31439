import { describe, expect, it } from "vitest";
import { readAccessChallenge } from "../../../src/auth/client/discovery/access-challenge.ts";
import { parseChallenges } from "../../../src/auth/www-authenticate.ts";

function read(header: string) {
  return parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);
}

describe("a WWW-Authenticate header", () => {
  it.each([
    ["Bearer", [["bearer", {}]]],
    ['Bearer realm="a"', [["bearer", { realm: "a" }]]],
    ['bearer scope="a b", error=invalid_token', [["bearer", { scope: "a b", error: "invalid_token" }]]],
    ['Bearer scope = "a"', [["bearer", { scope: "a" }]]],
    ['Bearer a="x\\"y\\\\z"', [["bearer", { a: 'x"y\\z' }]]],
    [
      'Basic realm="x", Bearer scope="y"',
      [
        ["basic", { realm: "x" }],
        ["bearer", { scope: "y" }],
      ],
    ],
    [
      "Basic, Bearer",
      [
        ["basic", {}],
        ["bearer", {}],
      ],
    ],
    ['DPoP error="use_dpop_nonce", algs="ES256"', [["dpop", { error: "use_dpop_nonce", algs: "ES256" }]]],
    ['Bearer SCOPE="a"', [["bearer", { scope: "a" }]]],
    ['Bearer scope="a", scope="b"', [["bearer", { scope: "a" }]]],
    ['Bearer x="never ends', [["bearer", { x: "never ends" }]]],
    ['Bearer a="1",,, ,b=2', [["bearer", { a: "1", b: "2" }]]],
    [
      'Bearer resource_metadata="https://h/p?a=b,c"',
      [["bearer", { resource_metadata: "https://h/p?a=b,c" }]],
    ],
    ["", []],
    [",;=", []],
  ])("%s is read", (header, expected) => {
    expect(read(header)).toEqual(expected);
  });

  it("does not take long, however often it repeats itself", () => {
    const start = performance.now();
    for (const piece of ['"', "\\", "a=", "a ", ",", " "]) parseChallenges(`Bearer ${piece.repeat(100_000)}`);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it("prefers a challenge that binds tokens to a key", () => {
    const headers = new Headers([
      ["www-authenticate", 'Bearer scope="a", resource_metadata="https://host.example/"'],
      ["www-authenticate", 'DPoP scope="b"'],
    ]);
    expect(readAccessChallenge(headers)).toEqual({
      scheme: "dpop",
      scopes: ["b"],
      resourceMetadata: "https://host.example/",
      error: undefined,
    });
  });
});
