import { createServer, RpcError } from "allspeak";
import { describe, expect, it } from "vitest";
import { alone, openRaw } from "../support/raw-client.ts";

const make = (options = {}) => createServer({ name: "s", version: "1", log: () => {}, ...options });

describe("middleware", () => {
  it("stands around every request, the first one outermost", async () => {
    const server = make();
    server.tool("t", {}, () => "x");
    const seen: string[] = [];
    server.use(async (call, next) => {
      seen.push(`outer ${call.method}`);
      const result = await next();
      seen.push("outer done");
      return result;
    });
    server.use((call, next) => {
      seen.push(`inner ${call.method}`);
      return next();
    });
    await openRaw(server).result("tools/list", alone());
    expect(seen).toEqual(["outer tools/list", "inner tools/list", "outer done"]);
  });

  it("may change the call, change the result, answer itself, or refuse", async () => {
    const server = make();
    server.tool("t", { input: { type: "object" } }, (args) => JSON.stringify(args));
    server.use(async (call, next) => {
      const { name } = call.params as { name: string };
      if (name === "own") return { content: [{ type: "text", text: "own" }] };
      if (name === "no") throw new RpcError(-32000, "not today");
      const changed = Object.create(call, {
        params: { value: { ...call.params, arguments: { changed: true } } },
      });
      return { ...(await next(changed)), _meta: { seen: true } };
    });
    const client = openRaw(server);
    await client.initialize();
    const call = (name: string) => client.result("tools/call", { name });
    expect(await call("t")).toMatchObject({ content: [{ text: '{"changed":true}' }], _meta: { seen: true } });
    expect(await call("own")).toMatchObject({ content: [{ text: "own" }] });
    await expect(call("no")).rejects.toMatchObject({ code: -32000, message: "not today" });
  });

  it("may pass the call on as it came, as a client's middleware does", async () => {
    const server = make();
    server.tool("t", {}, () => "x");
    server.use((call, next) => next(call));
    expect(await openRaw(server).result("tools/list", alone())).toMatchObject({ tools: [{ name: "t" }] });
  });
});
