import { createServer } from "allspeak";
import { createFetchHandler } from "allspeak/http";
import { expect, it } from "vitest";

const uri = "note:///one";
const url = "http://localhost/mcp";
const accept = "application/json, text/event-stream";

/** Opens so many sessions that subscribe to the resource and read their streams; `reached` counts those that got an event. */
async function openSessions(count: number) {
  const server = createServer({ name: "notes", version: "1", log: () => {} });
  server.resource(uri, { name: "one" }, () => "text");
  const handler = createFetchHandler(server);
  let reached = 0;
  const open = async () => {
    const headers = new Headers({ accept, "content-type": "application/json" });
    const post = async (body: object) => {
      const answer = await handler(
        new Request(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...body }) }),
      );
      await answer.text();
      return answer;
    };
    const clientInfo = { name: "c", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const opened = await post({ id: 1, method: "initialize", params });
    headers.set("mcp-session-id", opened.headers.get("mcp-session-id") ?? "");
    headers.set("mcp-protocol-version", "2025-11-25");
    await post({ method: "notifications/initialized" });
    await post({ id: 2, method: "resources/subscribe", params: { uri } });
    const stream = await handler(new Request(url, { headers }));
    void readUpdate(stream).then(() => reached++);
  };
  for (let at = 0; at < count; at++) await open();
  return { server, handler, reached: () => reached };
}

async function readUpdate({ body }: Response): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("notifications/resources/updated")) return;
  }
  throw new Error("The stream ended without an update.");
}

it("an update for many sessions over HTTP leaves turns to other work", async () => {
  const { server, handler, reached } = await openSessions(600);
  void server.resources.updated(uri);
  const turns: number[] = [];
  while (reached() < 600) {
    await new Promise((resolve) => setImmediate(resolve));
    turns.push(reached());
  }
  expect(turns.some((count) => count > 0 && count < 600)).toBe(true);
  await handler.close(0);
});
