import { describe, expect, test, vi } from "vitest";
import type { ConsentRequest } from "../../src/client/options.ts";
import { consentPolicy } from "../../src/client/trust/consent.ts";
import { type ConnectOptions, ConsentRefusedError, type connect } from "../../src/client.ts";
import { createServer } from "../../src/index.ts";
import { openClient } from "../support/open-client.ts";

type Ask = NonNullable<Parameters<typeof consentPolicy>[0]["ask"]>;

function request(parts: Partial<ConsentRequest> = {}): ConsentRequest {
  const tool = { name: "send", description: "Sends", inputSchema: { type: "object" as const } };
  return {
    server: { name: "mail", version: "1" },
    serverId: "https://mail.example/mcp",
    name: "send",
    arguments: { to: "anna" },
    tool,
    signal: undefined,
    ...parts,
  };
}

describe("a consent policy", () => {
  test("asks when nothing else is said, and takes no answer for a no", async () => {
    const ask = vi.fn<Ask>(() => "once");
    expect(await consentPolicy({ ask, store: new Map() })(request())).toBe(true);
    expect(ask).toHaveBeenCalledWith(request());
    expect(await consentPolicy({ store: new Map() })(request())).toBe(false);
    expect(await consentPolicy({ ask: () => "no", store: new Map() })(request())).toBe(false);
    expect(await consentPolicy({ ask: (() => {}) as never, store: new Map() })(request())).toBe(false);
  });

  test("a malformed record is neither a yes nor a no, and nobody is asked", async () => {
    const key = JSON.stringify(["consent", "https://mail.example/mcp", "send"]);
    const ask = vi.fn<Ask>(() => "always");
    for (const kept of ["deny", null, [], {}, { decision: "never" }, { decision: true }]) {
      const store = { get: () => kept, update: () => expect.fail("nothing is written") };
      for (const otherwise of ["allow", "ask"] as const) {
        const outcome = consentPolicy({ ask, otherwise, store })(request());
        await expect(outcome).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(key) });
      }
    }
    expect(ask).not.toHaveBeenCalled();
  });

  test("is by server and by tool, the nearest first", async () => {
    const allowed = consentPolicy({
      servers: {
        "https://mail.example/mcp": { read: "allow", "*": "deny" },
        "https://trusted.example/mcp": "allow",
      },
      otherwise: "deny",
      store: new Map(),
    });
    expect(await allowed(request({ name: "read" }))).toBe(true);
    expect(await allowed(request({ name: "send" }))).toBe(false);
    expect(await allowed(request({ serverId: "https://trusted.example/mcp" }))).toBe(true);
    expect(await allowed(request({ serverId: "https://other.example/mcp" }))).toBe(false);
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "finds no rule in %s",
    async (name) => {
      const allowed = consentPolicy({
        servers: { s: { read: "allow" } },
        otherwise: "deny",
        store: new Map(),
      });
      expect(await allowed(request({ serverId: "s", name }))).toBe(false);
      expect(await allowed(request({ serverId: name, name: "read" }))).toBe(false);
    },
  );

  test("does not know a server by the name that it gives itself", async () => {
    const allowed = consentPolicy({ servers: { mail: "allow" }, otherwise: "deny", store: new Map() });
    expect(await allowed(request())).toBe(false);
  });

  test("takes the hints of a server for nothing unless it is told to", async () => {
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
    const reading = request({
      tool: { ...request().tool, name: "send", inputSchema: { type: "object" }, annotations },
    });
    const ask = vi.fn<Ask>(() => "no");
    expect(await consentPolicy({ ask, store: new Map() })(reading)).toBe(false);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(await consentPolicy({ readOnly: "allow", store: new Map() })(reading)).toBe(true);
    expect(await consentPolicy({ readOnly: "allow", store: new Map() })(request())).toBe(false);
    const unlisted = request({ tool: undefined });
    expect(await consentPolicy({ readOnly: "allow", store: new Map() })(unlisted)).toBe(false);
    const denied = consentPolicy({
      readOnly: "allow",
      servers: { [reading.serverId]: "deny" },
      store: new Map(),
    });
    expect(await denied(reading)).toBe(false);
  });

  test("remembers always and never, for this server and this tool", async () => {
    const store = new Map();
    const ask = vi.fn<Ask>(({ name }) => (name === "send" ? "always" : "never"));
    const allowed = consentPolicy({ ask, store });
    expect(await allowed(request())).toBe(true);
    expect(await allowed(request({ name: "drop" }))).toBe(false);
    const later = consentPolicy({ store });
    expect(await later(request({ arguments: { to: "bob" } }))).toBe(true);
    expect(await later(request({ name: "drop" }))).toBe(false);
    expect(await later(request({ serverId: "https://other.example/mcp" }))).toBe(false);
    expect(ask).toHaveBeenCalledTimes(2);
    const lenient = consentPolicy({ store, otherwise: "allow" });
    expect(await lenient(request({ name: "drop" }))).toBe(false);
    const strict = consentPolicy({ store, servers: { [request().serverId]: "deny" } });
    expect(await strict(request())).toBe(false);
  });

  test("asks again when the tool is not the one that was shown", async () => {
    const store = new Map();
    await consentPolicy({ ask: () => "always", store })(request());
    const changed = request({
      tool: { name: "send", description: "Sends.", inputSchema: { type: "object" } },
    });
    expect(await consentPolicy({ store })(changed)).toBe(false);
    expect(await consentPolicy({ store })(request({ tool: undefined }))).toBe(false);
    expect(await consentPolicy({ store })(request())).toBe(true);
  });

  test("remembers nothing of yes and no for once", async () => {
    const store = new Map();
    for (const answer of ["once", "no"] as const)
      await consentPolicy({ ask: () => answer, store })(request());
    expect(store.size).toBe(0);
  });

  test("stands before every way to call a tool", async () => {
    const server = createServer({ name: "mail", version: "1" });
    let runs = 0;
    server.tool("send", "Sends", () => `${++runs}`);
    const seen: ConsentRequest[] = [];
    const consent = consentPolicy({
      ask: (call) => {
        seen.push(call);
        return "no";
      },
      store: new Map(),
    });
    const client = await openClient(server, { consent, serverId: "mine" });
    await client.tools.list().all();
    await expect(client.tools.call("send", { to: "anna" })).rejects.toBeInstanceOf(ConsentRefusedError);
    await expect(client.request("tools/call", { name: "send" })).rejects.toBeInstanceOf(ConsentRefusedError);
    const outer = createServer({ name: "outer", version: "1", log: () => {} });
    outer.mount("mail", client);
    const other = await openClient(outer);
    await other.tools.call("mail_send").catch(() => {});
    expect(runs).toBe(0);
    expect(seen).toHaveLength(3);
    expect(seen[0]).toMatchObject({
      serverId: "mine",
      arguments: { to: "anna" },
      tool: { description: "Sends" },
    });
  });
});

describe("the id of a server", () => {
  async function idOf(target: Parameters<typeof connect>[0], options: ConnectOptions = {}): Promise<string> {
    let id = "";
    const consent = (call: ConsentRequest) => {
      id = call.serverId;
      return false;
    };
    const client = await openClient(target, { ...options, consent });
    await client.tools.call("any").catch(() => {});
    return id;
  }

  test("is how it is reached, or what the host calls it", async () => {
    const server = createServer({ name: "mail", version: "1" });
    server.tool("any", "Any", () => "");
    expect(await idOf(server)).toBe("memory:mail");
    expect(await idOf(server, { serverId: "mine" })).toBe("mine");
  });
});
