import { describe, expect, test } from "vitest";
import type { ClientCall } from "../../src/client.ts";
import { RpcError } from "../../src/errors.ts";
import { failure, openClient } from "../support/open-client.ts";
import { discoverServer } from "../support/scripted-server.ts";

const text = (value: string) => ({ content: [{ type: "text", text: value }] });

describe("middleware", () => {
  test("stands around every request, the first one outermost", async () => {
    const server = discoverServer({ script: { "tools/call": () => text("inner") } });
    const client = await openClient(server);
    const order: string[] = [];
    const around = (name: string) => async (call: ClientCall, next: () => Promise<object>) => {
      order.push(`${name} before ${call.method}`);
      const result = await next();
      order.push(`${name} after`);
      return { ...result };
    };
    client.use(around("outer")).use(around("inner"));
    await client.tools.call("x");
    expect(order).toEqual([
      "outer before tools/call",
      "inner before tools/call",
      "inner after",
      "outer after",
    ]);
  });

  test("may change what is sent and what comes back, answer itself, and refuse", async () => {
    const server = discoverServer({ script: { "tools/call": ({ name }) => text(name) } });
    const client = await openClient(server);
    client.use(async (call, next) => {
      if (call.params.name === "secret") throw new Error("Not that one.");
      if (call.params.name === "known") return text("from memory");
      const result = await next({ ...call, params: { ...call.params, name: "changed" } });
      return { ...result, _meta: { seen: true } };
    });
    expect(await client.tools.call("any")).toMatchObject({ ...text("changed"), _meta: { seen: true } });
    expect(await client.tools.call("known")).toEqual(text("from memory"));
    expect(await failure(client.tools.call("secret"))).toMatchObject({ message: "Not that one." });
    expect(server.line.paramsOf("tools/call").length).toBe(1);
  });

  test("may try again, which is a new request", async () => {
    let calls = 0;
    const server = discoverServer({
      script: {
        "tools/call": () => {
          if (calls++ === 0) throw new RpcError(-32603, "Try later");
          return text("second");
        },
      },
    });
    const client = await openClient(server);
    client.use((_call, next) => next().catch(() => next()));
    expect(await client.tools.call("x")).toMatchObject(text("second"));
    const ids = server.line.received.filter(({ method }) => method === "tools/call").map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });
});
