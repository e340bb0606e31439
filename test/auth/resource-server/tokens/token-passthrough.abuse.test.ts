// No token passthrough: what a caller came with goes nowhere else, whatever a server does with the call.
import { createServer, tool } from "allspeak";
import { bearer } from "allspeak/auth";
import { connect, httpTransport } from "allspeak/client";
import { createFetchHandler } from "allspeak/http";
import { describe, expect, it, onTestFinished } from "vitest";
import { entries, open } from "../../../support/http/entries.ts";
import { callNewest } from "../../../support/http/stateless-request.ts";

const publicUrl = "https://gateway.example.com/mcp";
const canary = "canary-5f3759df";

describe.each(entries)("a server that asks another one, $name", (entry) => {
  it("never sends the token of its caller, nor shows it to handlers, middleware or logs", async () => {
    const seen: unknown[] = [];
    const upstream = createServer({ name: "upstream", version: "1" });
    upstream.tool("look", "Looks", (_, ctx) => {
      seen.push(ctx.meta, ctx.client, ctx.principal);
      return "looked";
    });
    const handle = createFetchHandler(upstream);
    onTestFinished(() => handle.close(0));
    const record: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      seen.push(request.url, [...request.headers], await request.clone().text());
      return handle(request);
    };
    const further = await connect(httpTransport("http://localhost/mcp", { fetch: record }));
    onTestFinished(() => further.close());

    const fail = tool("fail", {}, (_, ctx) => {
      seen.push(ctx.principal, ctx.meta, ctx.client, ctx.session, Object.getOwnPropertyNames(ctx));
      throw new Error("broken");
    });
    const gateway = createServer({
      name: "gateway",
      version: "1",
      tools: [fail],
      log: (line) => void seen.push(line),
    });
    gateway.mount("up", further);
    gateway.use(async (call, next) => {
      seen.push({ ...call, signal: undefined, closing: undefined });
      return next(call);
    });
    const verify = (token: string, { audience }: { audience: readonly string[] }) =>
      token === canary ? { sub: "alice", aud: audience } : undefined;
    const { url } = await open(entry, gateway, { publicUrl, auth: bearer({ verify }) });
    const headers = { authorization: `Bearer ${canary}` };
    const looked = await (await callNewest(url, "up_look", {}, { headers })).result();
    expect(looked).toMatchObject({ result: { content: [{ text: "looked" }] } });
    const failed = await callNewest(url, "fail", {}, { headers });
    seen.push(await failed.text(), failed.headers);

    const all = JSON.stringify(seen, (_, value) => (value instanceof Error ? String(value.stack) : value));
    expect(all).toContain("alice");
    expect(all).toContain("tools/call");
    expect(all).not.toContain(canary);
  });
});
