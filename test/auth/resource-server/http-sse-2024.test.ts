import { createServer, scopes, tool } from "allspeak";
import { bearer } from "allspeak/auth";
import { describe, expect, it } from "vitest";
import { publicUrl } from "../../support/auth/protected-server.ts";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { toInitialize } from "../../support/http/raw-session.ts";

/** A token says whose it is, and its scopes. */
const auth = bearer({
  verify: (token, { audience }) => {
    const [sub = "", ...granted] = token.split(".");
    return { sub, aud: audience, scope: granted.join(" ") };
  },
});
const order = tool("order", { access: scopes("write") }, () => "ordered");

describe.each(entries)("HTTP+SSE behind authorization, $name", (entry) => {
  it("authenticates each message by its own token", async () => {
    const server = createServer({ name: "protected", version: "1", tools: [order] });
    const { origin } = await open(entry, server, { auth, publicUrl });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const stream = (await exchange(`${origin}/sse`, { headers: as("alice") })).events();
    const messages = origin + (await stream.next())?.data;
    const post = async (body: object, token: string) => {
      const headers = { "content-type": "application/json", ...as(token) };
      return (await exchange(messages, { body, headers })).status;
    };
    const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "order" } });

    expect(await post(toInitialize("2024-11-05"), "alice")).toBe(202);
    expect(await stream.message()).toMatchObject({ id: 0 });
    expect(await post(call(1), "alice")).toBe(202);
    expect(await stream.message()).toMatchObject({ id: 1, error: { data: { scopes: ["write"] } } });
    expect(await post(call(2), "alice.write")).toBe(202);
    expect(await stream.message()).toMatchObject({ id: 2, result: {} });
    expect(await post(call(3), "alice")).toBe(202);
    expect(await stream.message()).toMatchObject({ id: 3, error: {} });
    expect(await post(call(4), "bob.write")).toBe(404);
    stream.cut();
  });
});
