import { afterEach, describe, expect, test, vi } from "vitest";
import type { Client } from "../../src/client.ts";
import { InvalidResponseError } from "../../src/errors.ts";
import { ScriptedHttp, sessionScript } from "../support/http/scripted-http.ts";
import { failure, openClient } from "../support/open-client.ts";
import { type Answer, discoverServer, handshakeServer } from "../support/scripted-server.ts";

const tool = (name: string, members: object = {}) => ({ name, inputSchema: { type: "object" }, ...members });

afterEach(() => {
  vi.useRealTimers();
});

/** Answers with one page after the other; the cursor is the number of the next. */
function pages(key: string, all: readonly (readonly unknown[])[], members: object = {}): Answer {
  return ({ cursor }) => {
    const at = cursor === undefined ? 0 : Number(cursor);
    return { [key]: all[at], ...(at + 1 < all.length && { nextCursor: String(at + 1) }), ...members };
  };
}

describe("a list", () => {
  test("is read page by page, as far as it is needed", async () => {
    const server = discoverServer({
      script: { "tools/list": pages("tools", [[tool("a"), tool("b")], [tool("c")], [tool("d")]]) },
    });
    const client = await openClient(server);
    const names: string[] = [];
    for await (const { name } of client.tools.list()) {
      names.push(name);
      if (name === "c") break;
    }
    expect(names).toEqual(["a", "b", "c"]);
    expect(server.line.paramsOf("tools/list").map(({ cursor }) => cursor)).toEqual([undefined, "1"]);
  });

  test("is had in one piece by all()", async () => {
    const server = discoverServer({
      script: { "tools/list": pages("tools", [[tool("a")], [], [tool("b")]]) },
    });
    const client = await openClient(server);
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test.each<[string, string, object, (client: Client) => Promise<readonly unknown[]>]>([
    ["resources/list", "resources", { uri: "file:///a", name: "a" }, (c) => c.resources.list().all()],
    [
      "resources/templates/list",
      "resourceTemplates",
      { uriTemplate: "file:///{a}", name: "a" },
      (c) => c.resources.templates().all(),
    ],
    ["prompts/list", "prompts", { name: "a", arguments: [{ name: "x" }] }, (c) => c.prompts.list().all()],
  ])("of %s is read the same way", async (method, key, item, list) => {
    const server = handshakeServer("2024-11-05", { script: { [method]: pages(key, [[item], [item]]) } });
    expect(await list(await openClient(server))).toEqual([item, item]);
  });

  test("goes on after an empty cursor, which is a cursor", async () => {
    const server = discoverServer({
      script: {
        "tools/list": ({ cursor }) =>
          cursor === undefined
            ? { tools: [tool("a")], nextCursor: "" }
            : { tools: [tool("b")], nextCursor: null },
      },
    });
    const client = await openClient(server);
    expect(await client.tools.list().all()).toHaveLength(2);
  });
});

describe("items that are invalid", () => {
  const mixed = [tool("good"), { name: "no schema" }, "tool", tool("odd", { icons: 7, "x-new": { a: 1 } })];

  test("are left out and reported, and what is unknown is kept", async () => {
    const problems: string[] = [];
    const server = discoverServer({ script: { "tools/list": () => ({ tools: mixed }) } });
    const client = await openClient(server, { onProblem: ({ message }) => problems.push(message) });
    expect(await client.tools.list().all()).toEqual([
      mixed[0],
      tool("odd", { icons: [], "x-new": { a: 1 } }),
    ]);
    expect(problems).toEqual([
      'Left out 2 of 4: tools/list: tools[1] "no schema".inputSchema must be an object; [2] must be an object.',
    ]);
  });

  test("spoil the list when strict", async () => {
    const server = discoverServer({ script: { "tools/list": () => ({ tools: mixed }) } });
    const client = await openClient(server, { strict: true });
    expect(await failure(client.tools.list().all())).toBeInstanceOf(InvalidResponseError);
  });

  /** An object of so many levels. */
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
  // The message, its result, the list and the item are levels, too.
  const deep = tool("deep", { inputSchema: { type: "object", ...nested(125) } });
  const deepest = tool("deepest", { inputSchema: { type: "object", ...nested(124) } });

  test.each(["a pipe", "HTTP"])("for their depth are left out and reported, over %s", async (way) => {
    const problems: string[] = [];
    const answer = () => ({ tools: [tool("good"), deep, deepest] });
    const script = { "tools/list": answer };
    const target =
      way === "HTTP"
        ? (await ScriptedHttp.start(sessionScript("2025-11-25", { "tools/list": (v) => v.result(answer()) })))
            .url
        : discoverServer({ script });
    const client = await openClient(target, { onProblem: ({ message }) => problems.push(message) });
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(["good", "deepest"]);
    expect(problems).toEqual([
      'tools/list: 1 of 3 tools can\'t be used: nested deeper than 128 levels (the first is "deep").',
    ]);
  });

  test("for their depth spoil the list when strict, or asked for by a request of the host's own", async () => {
    const server = discoverServer({ script: { "tools/list": () => ({ tools: [deep, tool("good")] }) } });
    const strict = await openClient(server, { strict: true });
    expect((await failure(strict.tools.list().all())).message).toContain("nested deeper than 128 levels");
    expect((await failure(strict.request("tools/list"))).message).toBe(
      "Message is nested deeper than 128 levels.",
    );
  });

  test("a list whose other members are too deep is refused, and so is one of endless depth", async () => {
    const answers = [
      { tools: [deep], _meta: nested(127) },
      { tools: [tool("endless", { inputSchema: nested(2_000) })] },
    ];
    const server = discoverServer({ script: { "tools/list": () => answers.shift() } });
    const client = await openClient(server, { onProblem: () => {}, timeout: { idle: 500 } });
    for (const _ of [1, 2])
      expect((await failure(client.tools.list().all())).message).toContain("nested deeper than 128 levels");
  });

  test("a list that is none is refused", async () => {
    const server = discoverServer({ script: { "tools/list": () => ({ tools: { a: tool("a") } }) } });
    const client = await openClient(server);
    expect(await failure(client.tools.list().all())).toBeInstanceOf(InvalidResponseError);
  });
});

describe("a list without end", () => {
  test.each<[string, Answer]>([
    [
      "of more than a thousand pages",
      ({ cursor = "0" }) => ({ tools: [], nextCursor: `${Number(cursor) + 1}` }),
    ],
    [
      "of more than ten thousand items",
      ({ cursor = "0" }) => ({
        tools: Array.from({ length: 999 }, (_, n) => tool(`${cursor}-${n}`)),
        nextCursor: `${Number(cursor) + 1}`,
      }),
    ],
    [
      "of ten thousand and one items at once",
      () => ({ tools: Array.from({ length: 10_001 }, () => tool("a")) }),
    ],
    ["with a cursor that is no string", () => ({ tools: [], nextCursor: 7 })],
  ])("%s is given up", async (_, answer) => {
    const server = discoverServer({ script: { "tools/list": answer } });
    const client = await openClient(server);
    expect(await failure(client.tools.list().all())).toBeInstanceOf(InvalidResponseError);
    expect(server.line.paramsOf("tools/list").length).toBeLessThanOrEqual(1_000);
  });

  test("of exactly ten thousand items on a thousand pages is read", async () => {
    const page = Array.from({ length: 10 }, () => tool("a"));
    const server = discoverServer({
      script: {
        "tools/list": pages(
          "tools",
          Array.from({ length: 1_000 }, () => page),
        ),
      },
    });
    const client = await openClient(server);
    expect(await client.tools.list().all()).toHaveLength(10_000);
  });
});

describe("what the server said before", () => {
  const cached = (ttlMs: unknown) =>
    discoverServer({
      script: {
        "tools/list": pages("tools", [[tool("a")], [tool("b")]], { ttlMs }),
        "prompts/list": () => ({ prompts: [], ttlMs }),
      },
    });
  const asked = (server: ReturnType<typeof cached>) => server.line.paramsOf("tools/list").length;

  test("is good until its time is over", async () => {
    vi.useFakeTimers();
    const server = cached(1_000);
    const client = await openClient(server);
    const first = await client.tools.list().all();
    await vi.advanceTimersByTimeAsync(999);
    expect(await client.tools.list().all()).toEqual(first);
    expect(asked(server)).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    await client.tools.list().all();
    expect(asked(server)).toBe(4);
  });

  test("is good as long as its shortest-lived page", async () => {
    vi.useFakeTimers();
    const server = discoverServer({
      script: {
        "tools/list": ({ cursor }) =>
          cursor === undefined
            ? { tools: [tool("a")], nextCursor: "b", ttlMs: 100 }
            : { tools: [tool("b")], ttlMs: 1_000_000 },
      },
    });
    const client = await openClient(server);
    await client.tools.list().all();
    await vi.advanceTimersByTimeAsync(100);
    await client.tools.list().all();
    expect(asked(server)).toBe(4);
  });

  test.each([0, -1, undefined, "1000", Number.NaN])("is not kept when its time is %j", async (ttlMs) => {
    const server = cached(ttlMs);
    const client = await openClient(server);
    await client.tools.list().all();
    await client.tools.list().all();
    expect(asked(server)).toBe(4);
  });

  test("is not used when fresh is asked for, nor for other metadata", async () => {
    const server = cached(60_000);
    const client = await openClient(server);
    await client.tools.list().all();
    await client.tools.list({ fresh: true }).all();
    await client.tools.list({ meta: { tenant: "b" } }).all();
    expect(asked(server)).toBe(6);
    await client.tools.list().all();
    expect(asked(server)).toBe(6);
  });

  test("is forgotten when the list changes, before anybody hears of it", async () => {
    const server = cached(60_000);
    const client = await openClient(server);
    await client.tools.list().all();
    const relisted = new Promise<unknown>((resolve) => {
      client.onChange(() => resolve(client.tools.list().all()));
    });
    server.line.notify("notifications/tools/list_changed");
    await relisted;
    expect(asked(server)).toBe(4);
  });

  test("is kept when another list changes", async () => {
    const server = cached(60_000);
    const client = await openClient(server);
    await client.tools.list().all();
    await client.prompts.list().all();
    server.line.notify("notifications/prompts/list_changed");
    await client.ping();
    await client.tools.list().all();
    await client.prompts.list().all();
    expect(asked(server)).toBe(2);
    expect(server.line.paramsOf("prompts/list").length).toBe(2);
  });

  test("is not kept when the list changed while it was read", async () => {
    const server = discoverServer({
      script: {
        "tools/list": (_, line) => {
          line.notify("notifications/tools/list_changed");
          return { tools: [], ttlMs: 60_000 };
        },
      },
    });
    const client = await openClient(server);
    await client.tools.list().all();
    await client.tools.list().all();
    expect(asked(server)).toBe(2);
  });

  test("is not kept when it was not read to the end", async () => {
    const server = cached(60_000);
    const client = await openClient(server);
    for await (const _ of client.tools.list()) break;
    await client.tools.list().all();
    expect(asked(server)).toBe(3);
  });

  test("means nothing where the revision has no such hints", async () => {
    const server = handshakeServer("2025-11-25", {
      script: { "tools/list": () => ({ tools: [], ttlMs: 60_000 }) },
    });
    const client = await openClient(server);
    await client.tools.list().all();
    await client.tools.list().all();
    expect(asked(server)).toBe(2);
  });
});
