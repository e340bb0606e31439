import fc from "fast-check";
import { describe, expect } from "vitest";
import { parseChallenges } from "../../../src/auth/www-authenticate.ts";
import { fuzz } from "../../support/fuzz.ts";

describe("a WWW-Authenticate header", () => {
  const odd = fc.string({ unit: fc.constantFrom("a", '"', "\\", "=", ",", " ", "Bearer", "\u0000", "é") });
  fuzz("WWW-Authenticate", "never makes the parser fail", odd, (header) => {
    expect(Array.isArray(parseChallenges(header))).toBe(true);
  });

  const token = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
  const value = fc.string({ maxLength: 20 }).filter((text) => !/[^\x20-\x7e]/.test(text));
  const parameters = fc.uniqueArray(fc.tuple(token, value), { selector: ([name]) => name });
  fuzz(
    "WWW-Authenticate",
    "gives back every parameter that was written by the rules",
    parameters,
    (pairs) => {
      const written = pairs.map(([name, text]) => `${name}="${text.replace(/["\\]/g, "\\$&")}"`);
      const [challenge, ...others] = parseChallenges(`Bearer ${written.join(", ")}`);
      expect([challenge?.scheme, others]).toEqual(["bearer", []]);
      expect(Object.fromEntries(challenge?.parameters ?? [])).toEqual(Object.fromEntries(pairs));
    },
  );
});
