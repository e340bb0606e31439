// The net under the cases that run in memory only: a transport changes no answer of any family of methods.
import type { JsonObject } from "allspeak";
import { type Client, connect, RpcError } from "allspeak/client";
import { expect, it } from "vitest";
import { describeMatrix } from "../matrix/matrix.ts";
import { loadServer } from "../matrix/servers/load.ts";

const template = { type: "ref/resource", uri: "fixture://weather/{city}/{day}" };

const requests: readonly (readonly [method: string, params?: JsonObject])[] = [
  ["tools/list"],
  ["tools/call", { name: "echo", arguments: { text: "é \u2028 \ud83d\ude00" } }],
  ["tools/call", { name: "nothing" }],
  ["tools/call", { name: "add", arguments: { a: 1, b: 2 } }],
  ["tools/call", { name: "countdown", arguments: { from: 3 } }],
  ["tools/call", { name: "every-kind" }],
  ["tools/call", { name: "full-result" }],
  ["tools/call", { name: "fail" }],
  ["tools/call", { name: "add", arguments: { a: 1, b: "two" } }],
  ["tools/call", { name: "strict", arguments: { color: "red" } }],
  ["tools/call", { name: "ecko" }],
  ["tools/call", { name: "refuse" }],
  ["tools/call", { name: "needs-sampling" }],
  ["resources/list"],
  ["resources/templates/list"],
  ["resources/read", { uri: "fixture://notes" }],
  ["resources/read", { uri: "fixture://bytes" }],
  ["resources/read", { uri: "fixture://folder" }],
  ["resources/read", { uri: "fixture://weather/S%C3%A3o%20Paulo/today" }],
  ["resources/read", { uri: "fixture://nowhere" }],
  ["prompts/list"],
  ["prompts/get", { name: "greet", arguments: { name: "Ada" } }],
  ["prompts/get", { name: "conversation" }],
  ["prompts/get", { name: "greet", arguments: {} }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "language", value: "e" } },
  ],
  [
    "completion/complete",
    {
      ref: template,
      argument: { name: "day", value: "" },
      context: { arguments: { city: "Oslo" } },
    },
  ],
];

/** The result of a request, or the error that answers it. */
async function outcome(client: Client, method: string, params?: JsonObject): Promise<unknown> {
  try {
    return await client.request(method, params);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { wireCode: error.wireCode, message: error.message, data: error.data };
  }
}

async function toolsByPage(client: Client): Promise<unknown[]> {
  const pages: unknown[] = [];
  let cursor: unknown;
  do {
    const page = await client.request("tools/list", cursor === undefined ? {} : { cursor: String(cursor) });
    pages.push(page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

describeMatrix("every method", ({ open, revision }) => {
  it("is answered as it is in memory", async () => {
    const { client } = await open();
    const near = await connect(await loadServer("full"), { revisions: [revision] });
    expect(client.server).toEqual(near.server);
    for (const [method, params] of requests) {
      const expected = await outcome(near, method, params);
      expect(await outcome(client, method, params), `${method} ${JSON.stringify(params)}`).toEqual(expected);
    }
    await near.close();
  });
});

describeMatrix(
  "every page",
  ({ open, revision }) => {
    it("is the one that it is in memory", async () => {
      const { client } = await open();
      const near = await connect(await loadServer("paged"), { revisions: [revision] });
      const pages = await toolsByPage(client);
      expect(pages).toHaveLength(3);
      expect(pages).toEqual(await toolsByPage(near));
      await near.close();
    });
  },
  { fixture: "paged" },
);
