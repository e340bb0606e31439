import { createServer, type RevisionName, tool } from "allspeak";
import { type ConnectOptions, connect } from "allspeak/client";
import { describe, expect, it } from "vitest";
import { toTarget, transportNames } from "../matrix/matrix.ts";

const answer = tool("answer", { description: "Answers" }, () => "42");

/** The revision that a client and a server that are limited to some come to. */
async function agreed(server: readonly RevisionName[], options: ConnectOptions): Promise<string> {
  const limited = createServer({ name: "limited", version: "1.0.0", revisions: server, tools: [answer] });
  const client = await connect(limited, options);
  expect((await client.tools.call("answer")).content).toEqual([{ type: "text", text: "42" }]);
  await client.close();
  return client.server.revision;
}

describe("client and server", () => {
  it.each<{ server: RevisionName[]; client: RevisionName[]; both: string }>([
    { server: ["2024-11-05"], client: ["2024-11-05", "2025-11-25", "2026-07-28"], both: "2024-11-05" },
    { server: ["2024-11-05", "2025-06-18"], client: ["2024-11-05", "2025-06-18"], both: "2025-06-18" },
    { server: ["2025-06-18", "2026-07-28"], client: ["2025-03-26", "2025-06-18"], both: "2025-06-18" },
    { server: ["2025-06-18", "2026-07-28"], client: ["2025-06-18", "2026-07-28"], both: "2026-07-28" },
    { server: ["2026-07-28"], client: ["2025-11-25", "2026-07-28"], both: "2026-07-28" },
    { server: ["2025-03-26"], client: ["2024-11-05", "2025-03-26", "2026-07-28"], both: "2025-03-26" },
  ])("of $server and $client speak $both", async ({ server, client, both }) => {
    expect(await agreed(server, { revisions: client })).toBe(both);
  });

  it.each<{ server: RevisionName[]; client: RevisionName[] }>([
    { server: ["2026-07-28"], client: ["2025-11-25"] },
    { server: ["2025-11-25"], client: ["2026-07-28"] },
    { server: ["2025-11-25"], client: ["2024-11-05", "2025-06-18"] },
    { server: ["2024-11-05"], client: ["2025-11-25"] },
  ])("of $server and $client part with a typed error", async ({ server, client }) => {
    await expect(agreed(server, { revisions: client })).rejects.toMatchObject({
      code: "unsupported-revision",
    });
  });

  it("remember what they came to", async () => {
    const server = createServer({
      name: "old",
      version: "1.0.0",
      revisions: ["2025-03-26"],
      tools: [answer],
    });
    const first = await connect(server);
    await first.close();
    const methods: unknown[] = [];
    const second = await connect(server, {
      hint: first.hint,
      onMessage: (message, direction) => {
        if (direction === "sent" && "method" in message) methods.push(message.method);
      },
    });
    expect(methods).toEqual(["initialize", "notifications/initialized"]);
    await second.close();
  });

  it.each(transportNames)("speak the newest that there is over %s", async (transport) => {
    const client = await connect(await toTarget("bare", transport));
    expect(client.server.revision).toBe(transport.endsWith("sse") ? "2025-11-25" : "2026-07-28");
    await client.close();
  });
});
