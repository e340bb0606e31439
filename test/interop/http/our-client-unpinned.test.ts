import { UnsupportedRevisionError } from "allspeak";
import { connect } from "allspeak/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectListening } from "../our-client/unpinned.ts";
import { serve } from "./serving.ts";

async function start(...how: Parameters<typeof serve>): Promise<string> {
  const { url, stop } = await serve(...how);
  onTestFinished(stop);
  return url;
}

const handshake = ["server/discover", "initialize", "notifications/initialized"];

describe("our client and an official server left to themselves over HTTP", () => {
  test.each([
    ["official-v1-http-server", "sessions", { revision: "2025-11-25", shape: "streamable" }, handshake],
    ["official-v1-http-server", "stateless", { revision: "2025-11-25", shape: "streamable" }, handshake],
    ["official-v1-http-server", "json", { revision: "2025-11-25", shape: "streamable" }, handshake],
    ["official-v1-http-server", "sse", { revision: "2025-11-25", shape: "sse" }, handshake],
    [
      "official-v2-http-server",
      "sessions",
      { revision: "2026-07-28", shape: "streamable" },
      ["server/discover"],
    ],
    [
      "official-v2-http-server",
      "newest",
      { revision: "2026-07-28", shape: "streamable" },
      ["server/discover"],
    ],
  ] as const)("find the newest revision and the shape: %s, %s", async (name, mode, verdict, said) => {
    const url = await start(name, mode);
    const first = await connectListening(url);
    expect(first.client.hint).toEqual(verdict);
    expect(first.sent).toEqual(said);
    const { content } = await first.client.tools.call("echo", { text: "found" });
    expect(content).toEqual([{ type: "text", text: "found" }]);
    await first.client.close();

    // What is known of a server is not asked again.
    const second = await connectListening(url);
    expect(second.client.hint).toEqual(verdict);
    expect(second.sent).toEqual(said === handshake ? handshake.slice(1) : said);
    await second.client.close();
  });

  test("a verdict of the wrong shape and revision costs a try and nothing else", async () => {
    const url = await start("official-v1-http-server", "sse");
    const verdict = { revision: "2026-07-28", shape: "streamable" };
    const { client } = await connectListening(url, { hint: verdict });
    expect(client.hint).toEqual({ revision: "2025-11-25", shape: "sse" });
    await client.close();
  });

  test("a server that refuses the handshake is left with an error that says what it speaks", async () => {
    const url = await start("official-v2-http-server", "newest");
    const connecting = connect(url, { revisions: ["2025-11-25"] });
    await expect(connecting).rejects.toThrow(UnsupportedRevisionError);
    await expect(connecting).rejects.toMatchObject({ supported: ["2026-07-28"] });
  });

  test("two clients of different revisions talk to one server at the same time", async () => {
    const url = await start("official-v2-http-server", "sessions");
    const clients = await Promise.all([
      connect(url, { revisions: ["2025-03-26"] }),
      connect(url, { revisions: ["2026-07-28"] }),
    ]);
    const said = await Promise.all(clients.map((client, n) => client.tools.call("echo", { text: `${n}` })));
    expect(said.map(({ content }) => content)).toEqual([
      [{ type: "text", text: "0" }],
      [{ type: "text", text: "1" }],
    ]);
    await Promise.all(clients.map((client) => client.close()));
  });
});
