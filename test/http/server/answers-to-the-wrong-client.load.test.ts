import { createServer, tool } from "allspeak";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { entries, open } from "../../support/http/entries.ts";
import { KeepAlive } from "../../support/http/keep-alive.ts";
import { toInitialize } from "../../support/http/raw-session.ts";
import { toRequestText } from "../../support/http/raw-socket.ts";
import { toNewest } from "../../support/http/stateless-request.ts";

const clients = 256;
const token = /T[0-9a-f]{8}-\d+-\d+T/g;

/** Says the secret again, some turns later, so that many are under way at once. */
const secret = tool("secret", { input: { token: z.string(), talk: z.boolean() } }, async (args, ctx) => {
  if (args.talk) await ctx.progress(1, 2);
  for (let turn = args.token.length % 3; turn >= 0; turn--)
    await new Promise((resolve) => setImmediate(resolve));
  return args.token;
});

type Sessions = "the newest revision" | "sessions";

async function run(port: number, kind: Sessions, talk: boolean, calls: number): Promise<number> {
  const seed = Math.floor(Math.random() * 0xffffffff)
    .toString(16)
    .padStart(8, "0");
  let answered = 0;
  const one = async (client: number) => {
    const connection = await KeepAlive.open(port);
    const headers: Record<string, string> = {
      "content-type": "application/json",
      "mcp-protocol-version": "2025-11-25",
    };
    if (kind === "sessions") {
      const opened = await connection.send(toRequestText({ headers, body: toInitialize("2025-11-25") }));
      headers["mcp-session-id"] = opened?.headers["mcp-session-id"] ?? "";
    }
    // Every client counts 0, 1, 2 and so on.
    for (let id = 0; id < calls / clients; id++) {
      const mine = `T${seed}-${client}-${id}T`;
      const params = { name: "secret", arguments: { token: mine, talk } };
      const request =
        kind === "sessions"
          ? {
              headers,
              body: {
                jsonrpc: "2.0",
                id,
                method: "tools/call",
                params: { ...params, _meta: { progressToken: id } },
              },
            }
          : toNewest("tools/call", params, { id, meta: { progressToken: id } });
      const response = await connection.send(toRequestText(request));
      const seen = response?.body.match(token) ?? [];
      if (
        response?.status !== 200 ||
        seen.length !== 1 ||
        seen[0] !== mine ||
        !response.body.includes(`"id":${id},`)
      ) {
        throw new Error(`Asked for ${mine}, got ${response?.status} ${response?.body.slice(0, 300)}`);
      }
      if (response.headers["content-type"] !== (talk ? "text/event-stream" : "application/json")) {
        throw new Error(`Framed as ${response.headers["content-type"]}`);
      }
      answered++;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => one(client)));
  return answered;
}

/** Where the time goes is the entry that is meant for speed; the others share all code with it but the edge. */
const loads = entries.map((entry) => ({ entry, calls: entry.name === "serveHttp" ? 51_200 : 5_120 }));

describe.each(loads)("CVE-2026-25536: answers to the wrong client, $entry.name", ({ entry, calls }) => {
  const modes: [Sessions, boolean][] = [
    ["the newest revision", false],
    ["the newest revision", true],
    ["sessions", false],
    ["sessions", true],
  ];
  it.each(modes)(
    `256 clients with the same ids, a quarter of ${calls} calls in %s, events %j: each gets its own answer once (long, because it is many)`,
    async (kind, talk) => {
      const server = createServer({ name: "secret", version: "1", tools: [secret] });
      const { origin } = await open(entry, server);
      const answered = await run(Number(new URL(origin).port), kind, talk, calls / 4);
      expect(answered).toBe(calls / 4);
    },
    90_000,
  );
});
