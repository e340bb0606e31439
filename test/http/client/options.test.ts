import { describe, expect, test } from "vitest";
import { httpTransport, type MessageDirection } from "../../../src/client.ts";
import { UsageError } from "../../../src/errors.ts";
import { openHttp } from "../../support/http/open-http.ts";
import { aloneScript, done, ScriptedHttp, sessionScript } from "../../support/http/scripted-http.ts";
import { failure } from "../../support/open-client.ts";

describe("headers", () => {
  test("of the host go with every request, asked for each time", async () => {
    const server = await ScriptedHttp.start(sessionScript("2025-11-25", { GET: (visit) => visit.stream() }));
    let count = 0;
    const headers = async () => ({ authorization: `Bearer ${++count}` });
    const { client } = await openHttp(server, { headers });
    await server.saw("GET");
    await client.ping();
    await client.close();
    const tokens = server.visits.map((visit) => visit.headers.authorization);
    expect(tokens.length).toBe(6);
    expect(new Set(tokens).size).toBe(6);
  });

  test("of the host do not replace those of the protocol", async () => {
    const server = await ScriptedHttp.start(aloneScript());
    const headers = {
      "MCP-Protocol-Version": "1999-01-01",
      "Mcp-Method": "evil",
      Accept: "text/html",
      "X-Own": "1",
    };
    await openHttp(server, { headers });
    expect((await server.saw("server/discover")).headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "server/discover",
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "x-own": "1",
    });
  });

  test("that can't be had fail the call with the host's own error", async () => {
    const server = await ScriptedHttp.start(aloneScript());
    const broken = new Error("The key store is locked.");
    let isBroken = false;
    const headers = () => {
      if (isBroken) throw broken;
      return {};
    };
    const { client } = await openHttp(server, { headers });
    isBroken = true;
    expect(await failure(client.ping())).toBe(broken);
    isBroken = false;
    await client.ping();
  });
});

describe("fetch", () => {
  test("may be the host's own, whose errors pass as they are", async () => {
    const server = await ScriptedHttp.start(aloneScript());
    const refused = new Error("This host is not on the list.");
    const seen: string[] = [];
    let isRefused = false;
    const own: typeof fetch = async (input, init) => {
      seen.push(String(input));
      if (isRefused) throw refused;
      return fetch(input, init);
    };
    const { client } = await openHttp(server, { fetch: own });
    isRefused = true;
    expect(await failure(client.ping())).toBe(refused);
    expect(new Set(seen)).toEqual(new Set([server.url]));
  });
});

describe("a transport", () => {
  test.each(["", "mcp", "ws://localhost", "http://", "https://a:b@localhost/"])(
    "is not made of %j",
    (url) => {
      expect(() => httpTransport(url)).toThrow(UsageError);
    },
  );

  test("says where the server is, without query and fragment", () => {
    expect(httpTransport("https://EXAMPLE.com:443/a?key=1#x").address).toBe("https://example.com/a");
  });

  test("sends no fragment", async () => {
    const server = await ScriptedHttp.start(aloneScript());
    await openHttp(`${server.url}?a=1#secret`);
    expect(server.visits[0]?.path).toBe("/mcp?a=1");
  });
});

test("every message is seen on the wire, refusals too, and none that was not there", async () => {
  const server = await ScriptedHttp.start(
    aloneScript({ "tools/call": (visit) => visit.error(-32021, "Missing", { status: 400 }) }),
  );
  const seen: [MessageDirection, unknown][] = [];
  const { client } = await openHttp(server, {
    onMessage: (message, direction) => {
      const { method, error } = message as { method?: string; error?: { code: number } };
      seen.push([direction, method ?? error?.code ?? "result"]);
    },
  });
  await failure(client.tools.call("anything"));
  const controller = new AbortController();
  const ping = failure(client.ping({ signal: controller.signal }));
  controller.abort();
  await ping;
  expect(seen).toEqual([
    ["sent", "server/discover"],
    ["received", "result"],
    ["sent", "tools/list"],
    ["received", "result"],
    ["sent", "tools/call"],
    ["received", -32021],
    ["sent", "server/discover"],
  ]);
});

test("a hundred calls at once are answered each with its own", async () => {
  const server = await ScriptedHttp.start(
    aloneScript({
      "tools/call": (visit) =>
        visit.result({ content: [{ type: "text", text: visit.body.params.arguments.token }] }),
    }),
  );
  const { client } = await openHttp(server);
  const tokens = Array.from({ length: 100 }, (_, index) => `token-${index}`);
  const results = await Promise.all(tokens.map((token) => client.tools.call("echo", { token })));
  expect(results.map(({ content }) => (content[0] as { text: string }).text)).toEqual(tokens);
});

test("parameters are never absent: a request without any has an empty object", async () => {
  const server = await ScriptedHttp.start(
    sessionScript("2025-11-25", {
      "tools/list": (visit) => visit.result({ tools: [] }),
      "tools/call": (visit) => visit.result(done),
    }),
  );
  const { client } = await openHttp(server);
  await client.tools.list().all();
  await client.ping();
  for (const what of ["notifications/initialized", "tools/list", "ping"])
    expect((await server.saw(what)).body.params).toEqual({});
});
