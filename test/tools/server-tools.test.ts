import {
  createServer,
  image,
  type LogEntry,
  RegistrationError,
  ToolError,
  text,
  tool,
  UsageError,
} from "allspeak";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { alone, openRaw, type Wire } from "../support/raw-client.ts";

const make = (options = {}) => createServer({ name: "s", version: "1", log: () => {}, ...options });
const call = (server: ReturnType<typeof make>, name: string, args: Wire = {}) =>
  openRaw(server).result("tools/call", alone({ name, arguments: args }));

describe("what a handler returns", () => {
  it.each([
    ["a string", "hello", [{ type: "text", text: "hello" }]],
    ["nothing", undefined, []],
    ["one block", text("a"), [{ type: "text", text: "a" }]],
    ["blocks", [text("a"), image("AA==", "image/png")], [text("a"), image("AA==", "image/png")]],
    ["a plain object", { a: 1 }, [{ type: "text", text: '{"a":1}' }]],
    ["a list of data", [{ id: 1 }], [{ type: "text", text: '[{"id":1}]' }]],
    ["an empty list", [], [{ type: "text", text: "[]" }]],
    ["a whole result", { content: [text("a")], _meta: { m: 1 } }, [text("a")]],
  ])("may be %s", async (_, returned, content) => {
    const server = make();
    server.tool("t", {}, () => returned);
    expect(await call(server, "t")).toMatchObject({ content });
  });

  it("may be nothing at all, or an object of any type", async () => {
    interface Row {
      readonly id: number;
    }
    const row: Row = { id: 1 };
    const server = make();
    server.tool("nothing", {}, async () => {});
    server.tool("row", {}, () => row);
    expect(await call(server, "nothing")).toMatchObject({ content: [] });
    expect(await call(server, "row")).toMatchObject({ content: [{ text: '{"id":1}' }] });
  });

  it("may be a number, a boolean or null, as the compiler knows", async () => {
    const server = make({ tools: [tool("one", {}, () => 1)] });
    server.tool("more", { input: z.object({ a: z.number() }) }, ({ a }) => a > 1);
    server.tool("none", {}, () => null);
    expect(await call(server, "one")).toMatchObject({ content: [{ text: "1" }] });
    expect(await call(server, "more", { a: 2 })).toMatchObject({ content: [{ text: "true" }] });
    expect(await call(server, "none")).toMatchObject({ content: [{ text: "null" }] });
  });

  it("is checked against the output schema, and has a text twin", async () => {
    const server = make({
      tools: [tool("t", { output: z.object({ n: z.number() }) }, () => ({ n: 1, surplus: true }))],
    });
    expect(await call(server, "t")).toMatchObject({
      structuredContent: { n: 1 },
      content: [{ type: "text", text: '{"n":1}' }],
    });
  });

  it("that does not fit the output schema is our error, not the model's business", async () => {
    const log: LogEntry[] = [];
    const server = make({ log: (entry: LogEntry) => log.push(entry) });
    server.tool("t", { output: z.object({ n: z.number() }) }, () => ({ n: "secret" }) as never);
    server.tool("none", { output: z.object({ n: z.number() }) }, () => ({ content: [text("x")] }));
    expect(await call(server, "t")).toMatchObject({
      isError: true,
      content: [{ text: expect.not.stringContaining("secret") }],
    });
    await call(server, "none");
    expect(String(log[1]?.cause)).toContain("return { structuredContent } or drop the schema");
  });

  it("may have a list called content of its own when its output schema says so", async () => {
    const output = z.object({ content: z.array(z.object({ type: z.string() })) });
    const server = make({ tools: [tool("t", { output }, () => ({ content: [{ type: "x" }] }))] });
    expect(await call(server, "t")).toMatchObject({ structuredContent: { content: [{ type: "x" }] } });
  });
});

describe("what a handler throws", () => {
  it("reaches the model only if it is a ToolError; the log has the rest under the same reference", async () => {
    const log: LogEntry[] = [];
    const server = make({ log: (entry: LogEntry) => log.push(entry) });
    server.tool("meant", {}, () => {
      throw new ToolError("No such city.");
    });
    const cause = new Error("postgres://admin:hunter2@db");
    server.tool("leaky", {}, async () => {
      throw cause;
    });
    expect(await call(server, "meant")).toMatchObject({
      isError: true,
      content: [{ text: "No such city." }],
    });
    expect(log).toEqual([]);
    const masked = (await call(server, "leaky")) as { content: [{ text: string }] };
    const ref = /^Internal error \(ref (\w+)\)$/.exec(masked.content[0].text)?.[1];
    expect(log).toMatchObject([{ ref, cause }]);
  });

  it("is masked in prompts and resources too", async () => {
    const server = make();
    server.prompt("p", {}, () => {
      throw new Error("hunter2");
    });
    server.resource("test://r", {}, () => {
      throw new Error("hunter2");
    });
    const client = openRaw(server);
    for (const [method, params] of [
      ["prompts/get", { name: "p" }],
      ["resources/read", { uri: "test://r" }],
    ] as const) {
      const { error } = await client.ask(method, alone(params));
      expect(error).toMatchObject({
        code: -32603,
        message: expect.stringMatching(/^Internal error \(ref \w+\)$/),
      });
    }
  });
});

describe("arguments", () => {
  const search = (options = {}) =>
    tool(
      "search",
      { input: z.object({ query: z.string(), limit: z.number().optional() }), ...options },
      ({ query }) => query,
    );

  it("that are wrong are told in the result where the revision wants that, as an error elsewhere", async () => {
    const server = make({ tools: [search()] });
    expect(await call(server, "search", { query: 5 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/Invalid arguments for tool "search":\n- query: .*string/) }],
    });
    const older = openRaw(server);
    await older.initialize("2025-06-18");
    const { error } = await older.ask("tools/call", { name: "search", arguments: {} });
    expect(error).toMatchObject({ code: -32602, data: { issues: [{ path: "query" }] } });
  });

  it("that nobody knows are ignored, or refused with a hint", async () => {
    expect(await call(make({ tools: [search()] }), "search", { query: "a", limt: 1 })).not.toHaveProperty(
      "isError",
    );
    const strict = make({ tools: [search()], unknownArguments: "refuse" });
    expect(await call(strict, "search", { query: "a", limt: 1 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('limt: is not an argument; did you mean "limit"?') }],
    });
  });

  it("explain a missing one by the misspelt one", async () => {
    expect(await call(make({ tools: [search()] }), "search", { qury: "a" })).toMatchObject({
      content: [{ text: expect.stringContaining('did you mean "query"?') }],
    });
  });

  it("may be absent or null where none are needed", async () => {
    const server = make();
    server.tool("none", "No arguments", (args) => JSON.stringify(args));
    const client = openRaw(server);
    expect(await client.result("tools/call", alone({ name: "none" }))).toMatchObject({
      content: [{ text: "{}" }],
    });
    const given = alone({ name: "none", arguments: null });
    expect(await client.result("tools/call", given)).toMatchObject({ content: [{ text: "{}" }] });
  });

  it("named __proto__ pollute nothing", async () => {
    const server = make();
    server.tool("t", { input: { type: "object" } }, (args) => JSON.stringify(args));
    const client = openRaw(server);
    const id = "p1";
    const reply = client.until((message) => message.id === id);
    const meta = JSON.stringify(alone()._meta);
    client.say(
      `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"t","arguments":{"__proto__":{"polluted":1}},"_meta":${meta}}}`,
    );
    expect(await reply).toMatchObject({ result: { content: [{ text: '{"__proto__":{"polluted":1}}' }] } });
    expect(({} as Wire).polluted).toBeUndefined();
  });
});

describe("unknown names", () => {
  it.each(["nope", "__proto__", "toString", "constructor", ""])(
    "a tool called %j is -32602",
    async (name) => {
      const server = make();
      server.tool("t", {}, () => "");
      await expect(call(server, name)).rejects.toMatchObject({ code: -32602 });
    },
  );
});

describe("registration", () => {
  it("fails by name for a schema that can't be converted", () => {
    const server = make();
    expect(() => server.tool("dated", { input: z.object({ at: z.date() }) }, () => "")).toThrow(
      /Tool "dated".*input schema/s,
    );
    expect(() => server.tool("dated", { input: z.object({ at: z.date() }) }, () => "")).toThrow(
      RegistrationError,
    );
  });

  it("refuses names that clients can't use, and the same name twice", () => {
    const server = make();
    for (const name of ["", "a b", "ü", "x".repeat(129)]) {
      expect(() => server.tool(name, {}, () => "")).toThrow(RegistrationError);
    }
    server.tool("t", {}, () => "");
    expect(() => server.tool("t", {}, () => "")).toThrow(/already registered/);
  });

  it("can be taken back, and suspended", async () => {
    const server = make();
    const registration = server.tool("t", {}, () => "here");
    const names = async () =>
      ((await openRaw(server).result("tools/list", alone())).tools as Wire[]).map(({ name }) => name);
    registration.disable();
    expect(await names()).toEqual([]);
    await expect(call(server, "t")).rejects.toMatchObject({ code: -32602 });
    registration.enable();
    expect(await names()).toEqual(["t"]);
    registration.remove();
    server.tool("t", {}, () => "another");
    registration.remove();
    expect(await call(server, "t")).toMatchObject({ content: [{ text: "another" }] });
  });

  it("wants a name, a version and a sensible page size", () => {
    expect(() => createServer({ name: "", version: "1" })).toThrow(UsageError);
    expect(() => make({ pageSize: 0 })).toThrow(UsageError);
  });
});

describe("lists", () => {
  it("are paged by cursors that survive additions and removals", async () => {
    const server = make({ pageSize: 2 });
    const [a, b] = ["a", "b", "c", "d"].map((name) => server.tool(name, {}, () => ""));
    const client = openRaw(server);
    const page = async (cursor?: unknown) => {
      const result = await client.result("tools/list", alone(cursor === undefined ? {} : { cursor }));
      return { names: (result.tools as Wire[]).map(({ name }) => name), next: result.nextCursor };
    };
    const first = await page();
    expect(first.names).toEqual(["a", "b"]);
    a?.remove();
    b?.remove();
    server.tool("e", {}, () => "");
    const second = await page(first.next);
    expect(second.names).toEqual(["c", "d"]);
    const third = await page(second.next);
    expect(third).toEqual({ names: ["e"], next: undefined });
  });

  it.each(["", "nonsense", "bnVsbA", 5])("refuse the cursor %j with -32602", async (cursor) => {
    const server = make();
    server.tool("t", {}, () => "");
    await expect(openRaw(server).result("tools/list", alone({ cursor }))).rejects.toMatchObject({
      code: -32602,
    });
  });

  it("refuse a cursor of another list", async () => {
    const server = make({ pageSize: 1 });
    for (const name of ["a", "b"]) {
      server.tool(name, {}, () => "");
      server.prompt(name, {}, () => "");
    }
    const client = openRaw(server);
    const { nextCursor } = await client.result("tools/list", alone());
    await expect(client.result("prompts/list", alone({ cursor: nextCursor }))).rejects.toMatchObject({
      code: -32602,
    });
  });
});
