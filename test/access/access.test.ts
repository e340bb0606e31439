import { createServer, scopes } from "allspeak";
import type { ConnectOptions } from "allspeak/client";
import { connect } from "allspeak/client";
import { describe, expect, it, onTestFinished } from "vitest";

/** A server of which everything is behind one rule. */
async function open(access: ReturnType<typeof scopes>, options: ConnectOptions = {}) {
  const server = createServer({ name: "ruled", version: "1" });
  server.tool("t", { access }, () => "done");
  server.prompt("p", { access, args: {} }, () => "done");
  server.resource("x://fixed", { name: "fixed", access }, () => "done");
  server.resource("x://{id}/more", { name: "more", access, complete: { id: () => ["1"] } }, () => "done");
  const client = await connect(server, options);
  onTestFinished(() => client.close());
  const names = async () => [
    ...(await client.tools.list().all()).map(({ name }) => name),
    ...(await client.prompts.list().all()).map(({ name }) => name),
    ...(await client.resources.list().all()).map(({ name }) => name),
    ...(await client.resources.templates().all()).map(({ name }) => name),
  ];
  const uses = [
    () => client.tools.call("t"),
    () => client.prompts.get("p"),
    () => client.resources.read("x://fixed"),
    () => client.resources.read("x://1/more"),
  ];
  return { client, names, uses };
}

describe("an access rule", () => {
  it("that says no makes an item unknown, in lists and calls alike", async () => {
    const { names, uses } = await open(() => false);
    expect(await names()).toEqual([]);
    for (const use of uses) await expect(use()).rejects.toMatchObject({ wireCode: -32602 });
  });

  it("that says yes, then or later, lets everybody in", async () => {
    for (const rule of [() => true, async () => true]) {
      const { names, uses } = await open(rule);
      expect(await names()).toEqual(["t", "p", "fixed", "more"]);
      for (const use of uses) expect(await use()).toBeDefined();
    }
  });

  it("about scopes shows items to those who lack them, and says what is lacking when they are used", async () => {
    const { names, uses } = await open(scopes("orders:read", "orders:write"));
    expect(await names()).toEqual(["t", "p", "fixed", "more"]);
    for (const use of uses) {
      await expect(use()).rejects.toMatchObject({
        wireCode: -32600,
        data: { scopes: ["orders:read", "orders:write"] },
      });
    }
  });

  it("makes lists private", async () => {
    const { client } = await open(scopes("orders:read"));
    for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
      expect(await client.request(method)).toMatchObject({ cacheScope: "private" });
    }
  });

  it("needs at least one scope, in words that can be asked for", () => {
    expect(() => scopes()).toThrow("scopes needs names");
    expect(() => scopes("a b")).toThrow("scopes needs names");
    expect(() => scopes('a"')).toThrow("scopes needs names");
  });
});
