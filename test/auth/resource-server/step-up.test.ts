import { describe, expect, it } from "vitest";
import { bear, metadata, openProtected, publicUrl } from "../../support/auth/protected-server.ts";
import { toInitialize } from "../../support/http/raw-session.ts";

const posting = { "content-type": "application/json", accept: "application/json, text/event-stream" };

describe("a call that needs more scopes than its token has", () => {
  it("is answered with a challenge that names all that are needed", async () => {
    const { issuer, call, entered } = await openProtected({ scopes: ["read"] });
    const answer = await call(bear(await issuer.mint(publicUrl, { scope: "read" })), "order");
    expect(answer.status).toBe(403);
    expect(answer.challenge).toBe(
      `Bearer error="insufficient_scope", error_description="The call needs scopes that the token does not have: orders:write", ${metadata}, scope="read orders:write"`,
    );
    expect(answer.body).toMatchObject({ id: 1, error: { code: -32600, data: { scopes: ["orders:write"] } } });
    expect(entered()).toBe(0);
  });

  it("is answered when it comes back with them", async () => {
    const { issuer, call } = await openProtected();
    const answer = await call(bear(await issuer.mint(publicUrl, { scope: "orders:write" })), "order");
    expect(answer.body.result.content).toEqual([{ type: "text", text: "ordered" }]);
  });

  it("is answered alike within a session, which goes on with the better token", async () => {
    const { issuer, fetch } = await openProtected();
    const post = async (body: object, token: string, id?: string | null) =>
      fetch("/mcp", {
        method: "POST",
        body: JSON.stringify(body),
        headers: { ...posting, ...bear(token), ...(id && { "mcp-session-id": id }) },
      });
    const [poor, rich] = [
      await issuer.mint(publicUrl),
      await issuer.mint(publicUrl, { scope: "orders:write" }),
    ];
    const opened = await post(toInitialize("2025-03-26"), poor);
    const id = opened.headers.get("mcp-session-id");
    const order = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "order" } };

    const refused = await post(order, poor, id);
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toContain('scope="orders:write"');
    expect(await refused.json()).toMatchObject({ id: 7, error: { code: -32600 } });

    expect(await (await post(order, rich, id)).json()).toMatchObject({ id: 7, result: {} });

    const batch = await post([order, { ...order, id: 8, method: "ping" }] as object, poor, id);
    expect(batch.status).toBe(200);
    expect(await batch.json()).toHaveLength(2);
  });
});
