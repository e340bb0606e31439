import { InvalidResponseError } from "allspeak/client";
import { expect, test } from "vitest";
import { failure, openClient } from "../support/open-client.ts";
import { handshakeServer } from "../support/scripted-server.ts";

const parts = Array.from({ length: 1_000_001 }, () => []);

test.each([
  ["result", () => ({ content: [], structuredContent: { parts } })],
  [
    "result, with a text like the end of it,",
    () => ({ a: '}}],"id":7,"result":{{', content: [], b: { parts } }),
  ],
] as const)(
  "a call whose %s has too many parts fails at once, and the next one works",
  async (_, toResult) => {
    const results = [toResult, () => ({ content: [{ type: "text", text: "next" }] })];
    const server = handshakeServer("2025-11-25", { script: { "tools/call": () => results.shift()?.() } });
    const client = await openClient(server, { onProblem: () => {} });
    const error = await failure(client.tools.call("t", {}, { timeout: { idle: 20_000 } }));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error.message).toContain("strings, lists and objects");
    expect(await client.tools.call("t")).toMatchObject({ content: [{ text: "next" }] });
  },
);
