import { describe, expect, it } from "vitest";
import { exchange } from "../../support/http/exchange.ts";
import { toInitialize } from "../../support/http/raw-session.ts";
import { sharedMemory, withEvents } from "../../support/shared-state.ts";
import { openNodes } from "../nodes.ts";

describe("HTTP+SSE of 2024-11-05 at several nodes", () => {
  it("takes messages at any node for a stream that one of them holds", async () => {
    const { nodes } = await openNodes();
    const [a, b, c] = nodes;
    const events = (await exchange(`${a.origin}/sse`)).events();
    const path = (await events.next())?.data ?? "";
    const post = async (origin: string, body: object) => {
      const answer = await exchange(`${origin}${path}`, {
        body,
        headers: { "content-type": "application/json" },
      });
      return answer.status;
    };
    expect(await post(b.origin, toInitialize("2024-11-05"))).toBe(202);
    expect(await events.message()).toMatchObject({ result: { protocolVersion: "2024-11-05" } });
    expect(await post(c.origin, { jsonrpc: "2.0", method: "notifications/initialized" })).toBe(202);
    for (const [id, node] of nodes.entries()) {
      const params = { name: "echo", arguments: { text: `at ${id}` } };
      expect(await post(node.origin, { jsonrpc: "2.0", id, method: "tools/call", params })).toBe(202);
      expect(await events.message()).toMatchObject({ id, result: { content: [{ text: `at ${id}` }] } });
    }
    c.server.tool("later", "A tool that comes later", () => "now");
    expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    events.cut();
  });

  it("takes messages in the order in which they were accepted, also where a hint to look for them is lost", async () => {
    const { nodes } = await openNodes({
      state: withEvents(sharedMemory(), () => ({ watch: () => () => {} })),
    });
    const [a, , c] = nodes;
    const events = (await exchange(`${a.origin}/sse`)).events();
    const path = (await events.next())?.data ?? "";
    const post = async (origin: string, body: object) => {
      const headers = { "content-type": "application/json" };
      const answer = await exchange(`${origin}${path}`, { body: { jsonrpc: "2.0", ...body }, headers });
      expect(answer.status).toBe(202);
    };
    await post(a.origin, toInitialize("2024-11-05"));
    await events.message();
    const params = { name: "wait", arguments: { name: "held" } };
    await post(c.origin, { id: 7, method: "tools/call", params });
    await post(a.origin, { method: "notifications/cancelled", params: { requestId: 7 } });
    expect(await a.aborted.next()).toBe("held");
    events.cut();
  });

  it("refuses a message that can't be passed on under its id", async () => {
    let isDown = false;
    const { nodes } = await openNodes({
      state: withEvents(sharedMemory(), (events) => ({
        append: (...given) => (isDown ? Promise.reject(new Error("away")) : events.append(...given)),
      })),
    });
    const [a, b] = nodes;
    const events = (await exchange(`${a.origin}/sse`)).events();
    const path = (await events.next())?.data ?? "";
    isDown = true;
    const headers = { "content-type": "application/json" };
    const body = { jsonrpc: "2.0", id: "mine", method: "ping" };
    const refused = await exchange(`${b.origin}${path}`, { body, headers });
    isDown = false;
    expect([refused.status, (await refused.json()).id]).toEqual([503, "mine"]);
    events.cut();
  });

  it("knows nothing of a stream that never was, or is of another principal, at any node", async () => {
    const { nodes } = await openNodes({
      identify: (request) => {
        const subject = request.header("x-user");
        return subject === undefined ? undefined : { issuer: "test", subject };
      },
    });
    const [a, b] = nodes;
    const events = (await exchange(`${a.origin}/sse`, { headers: { "x-user": "alice" } })).events();
    const path = (await events.next())?.data ?? "";
    const post = async (origin: string, at: string, user: string) => {
      const headers = { "content-type": "application/json", "x-user": user };
      const answer = await exchange(`${origin}${at}`, { body: toInitialize("2024-11-05"), headers });
      return [answer.status, await answer.text()];
    };
    const unknown = await post(b.origin, path.replace(/[0-9a-f]{8}$/, "00000000"), "bob");
    expect(unknown[0]).toBe(404);
    for (const { origin } of nodes) expect(await post(origin, path, "bob")).toEqual(unknown);
    expect((await post(b.origin, path, "alice"))[0]).toBe(202);
    expect(await events.message()).toMatchObject({ result: { protocolVersion: "2024-11-05" } });
    events.cut();
  });
});
