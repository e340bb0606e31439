import { createServer } from "allspeak";
import { staticToken } from "allspeak/auth";
import { type ConnectOptions, UsageError } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { failure, openClient } from "../../support/open-client.ts";

const injected = "secret\r\nx-other: 1";

const mistakes: [what: string, options: () => ConnectOptions, message: string][] = [
  ["a line break in a value", () => ({ headers: { "x-key": injected } }), 'header "x-key"'],
  ["a letter that is not Latin-1", () => ({ headers: { "x-key": "→" } }), 'header "x-key"'],
  ["a space in a name", () => ({ headers: { "x key": "a" } }), '"x key" can\'t be the name'],
  ["a token with its line break", () => ({ auth: staticToken(injected) }), 'header "authorization"'],
];

describe.each(["node:http", "fetch"])("with %s", (sender) => {
  test.each(mistakes)(
    "%s is a UsageError that names the header and not its value",
    async (_, options, message) => {
      const running = await serveHttp(createServer({ name: "s", version: "1" }));
      onTestFinished(() => running.close(0));
      if (sender === "fetch") {
        const { fetch } = globalThis;
        vi.stubGlobal("fetch", (...given: Parameters<typeof fetch>) => fetch(...given));
        onTestFinished(() => void vi.unstubAllGlobals());
      }
      const error = await failure(openClient(running.url, options()));
      expect(error).toBeInstanceOf(UsageError);
      expect(error.message).toContain(message);
      expect(error.message).not.toContain("secret");
    },
  );
});
