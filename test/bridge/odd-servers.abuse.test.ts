import { fileURLToPath } from "node:url";
import { StreamableHTTPClientTransport as V2Transport } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as V1Transport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { openBridge } from "allspeak/bridge";
import { openGateway } from "allspeak/gateway";
import { serveHttp } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { OfficialClient } from "../interop/official-client.ts";
import { connectV1 } from "../interop/official-v1-client.ts";
import { connectV2, pin } from "../interop/official-v2-client.ts";

const program = fileURLToPath(new URL("fixtures/odd-server.mjs", import.meta.url));

const oddities = {
  "another id": "odd",
  "two answers": "odd",
  "both a result and an error": /both$/,
  "lines that are not messages": "odd",
  "a flood of changes": "odd",
  "its death": /^The server "odd" is (gone|not available)/,
};

const officials = {
  "SDK v1": (url: URL) => connectV1("2025-11-25", new V1Transport(url)),
  "SDK v2": (url: URL) => connectV2(pin("2026-07-28"), new V2Transport(url)),
};

/** The text of an answer, also where it is an error. */
async function textOf(official: OfficialClient, tool: string): Promise<string | undefined> {
  try {
    const { content } = await official.call(tool);
    return (content as readonly { readonly text: string }[])[0]?.text;
  } catch (error) {
    return (error as Error).message;
  }
}

const ways = {
  bridge: async (oddity: string) => {
    const bridge = await openBridge(
      { command: process.execPath, args: [program, oddity] },
      { connect: { onProblem: () => {} } },
    );
    return { server: bridge.server, close: () => bridge.close(), fine: "fine", odd: "odd" };
  },
  gateway: async (oddity: string) => {
    const gateway = await openGateway({
      servers: { odd: { command: process.execPath, args: [program, oddity] } },
      onProblem: () => {},
    });
    return { server: gateway.server, close: () => gateway.close(), fine: "odd__fine", odd: "odd__odd" };
  },
};

describe.each(Object.keys(ways) as (keyof typeof ways)[])("before a %s", (way) => {
  describe.each(Object.entries(oddities))("to a server that answers a call with %s", (oddity, expected) => {
    let opened: Awaited<ReturnType<(typeof ways)["bridge"]>>;
    let url: URL;
    let stop = async () => {};
    beforeAll(async () => {
      opened = await ways[way](oddity);
      const running = await serveHttp(opened.server);
      url = new URL(running.url);
      stop = async () => {
        await running.close(0);
        await opened.close();
      };
    });
    afterAll(() => stop());

    it.each(Object.entries(officials))("%s gets an answer to this call and to the next", async (_, open) => {
      const official: OfficialClient = await open(url);
      onTestFinished(() => official.client.close());
      expect(await textOf(official, opened.fine)).toBe("fine");
      expect(await textOf(official, opened.odd)).toEqual(
        typeof expected === "string" ? expected : expect.stringMatching(expected),
      );
      expect(await textOf(official, opened.fine)).toBe("fine");
      // Two at once, then one a second: not each of a flood.
      expect(official.changes.drain().length).toBeLessThan(100);
      expect(official.problems).toEqual([]);
    });
  });
});
