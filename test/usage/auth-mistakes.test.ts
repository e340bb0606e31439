import { createOAuthProxy } from "allspeak/auth";
import { serveDevAuth } from "allspeak/auth/dev";
import { fileCredentialStore, loopbackLogin } from "allspeak/node";
import { expect, test } from "vitest";

type Loose = (...given: unknown[]) => unknown;

const proxy = (options: object) =>
  (createOAuthProxy as Loose)({ publicUrl: "https://example.com", ...options });

const mistakes: readonly [what: string, run: () => unknown, says: string][] = [
  [
    "a misspelled option of the development server",
    () => (serveDevAuth as Loose)({ scope: ["notes"] }),
    'serveDevAuth has no option "scope"; did you mean "scopes"?',
  ],
  [
    "a token format that does not exist",
    () => (serveDevAuth as Loose)({ tokenFormat: "JWT" }),
    '"tokenFormat" must be "jwt" or "opaque", not "JWT"',
  ],
  [
    "a misspelled option of the proxy",
    () => proxy({ resources: [] }),
    'createOAuthProxy has no option "resources"; did you mean "resource"?',
  ],
  [
    "a provider that is not a URL",
    () => proxy({ upstream: { issuer: "accounts.google.com" } }),
    '"upstream.issuer" must be a URL that begins with http:// or https://, not "accounts.google.com"',
  ],
  ["no folder for credentials", () => (fileCredentialStore as Loose)({}), "takes a string, not undefined"],
  [
    "a path for the store of credentials",
    () => (fileCredentialStore as Loose)("./tokens"),
    "fileCredentialStore takes an object of options, such as { folder, key }",
  ],
  [
    "a function for the login",
    () => (loopbackLogin as Loose)({ open: "firefox" }),
    'loopbackLogin: the option "open" must be a function, not "firefox"',
  ],
];

test.each(mistakes)("%s is refused with what to do", async (_, run, says) => {
  const failure = await Promise.resolve()
    .then(run)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(failure).toMatchObject({ code: "usage", message: expect.stringContaining(says) });
});
