import { describe, expect, it } from "vitest";
import { JsonText } from "../../src/lib/json.ts";
import { encodeFailure, encodeResponse, isRequestId } from "../../src/protocol/message.ts";
import { parseMessage } from "../../src/protocol/parse.ts";

const parse = (value: unknown) => parseMessage(JSON.stringify(value));

describe("a message is told apart once", () => {
  it("reads a request, with missing or null params as none", () => {
    const expected = { kind: "request", id: 1, method: "ping", params: {} };
    expect(parse({ jsonrpc: "2.0", id: 1, method: "ping" })).toEqual(expected);
    expect(parse({ jsonrpc: "2.0", id: 1, method: "ping", params: null })).toEqual(expected);
  });

  it("reads a notification", () => {
    const message = parse({ jsonrpc: "2.0", method: "notifications/initialized", params: { a: 1 } });
    expect(message).toEqual({ kind: "notification", method: "notifications/initialized", params: { a: 1 } });
  });

  it("reads a response, and null as an empty result", () => {
    expect(parse({ jsonrpc: "2.0", id: "a", result: { x: 1 } })).toEqual({
      kind: "response",
      id: "a",
      result: { x: 1 },
    });
    expect(parse({ jsonrpc: "2.0", id: "a", result: null })).toMatchObject({ kind: "response", result: {} });
    expect(parse({ jsonrpc: "2.0", id: "a", result: {}, error: null })).toMatchObject({ kind: "response" });
  });

  it("reads an error that lacks its message, its code or its id", () => {
    expect(parse({ jsonrpc: "2.0", id: 1, error: { code: -32601 } })).toMatchObject({
      kind: "failure",
      id: 1,
      error: { code: -32601, message: "Error -32601" },
    });
    expect(parse({ jsonrpc: "2.0", id: null, error: { message: "no" } })).toMatchObject({
      kind: "failure",
      id: undefined,
      error: { code: -32603, message: "no" },
    });
  });

  it.each([
    ["no jsonrpc", { id: 1, method: "ping" }],
    ["another jsonrpc", { jsonrpc: "1.0", id: 1, method: "ping" }],
    ["a method that is no string", { jsonrpc: "2.0", id: 1, method: 5 }],
    ["a call that is also a response", { jsonrpc: "2.0", id: 1, method: "ping", result: {} }],
    ["nothing but an id", { jsonrpc: "2.0", id: 1 }],
    ["a result that is a list", { jsonrpc: "2.0", id: 1, result: [] }],
    ["members in another case", { jsonrpc: "2.0", id: 1, Method: "ping" }],
  ])("refuses %s with -32600 and the id that could be read", (_, value) => {
    expect(parse(value)).toMatchObject({ kind: "invalid", id: 1, error: { code: -32600 } });
  });

  it.each([null, 1.5, {}, [], true, 2 ** 53, "x".repeat(257)])(
    "refuses the id %j without repeating it",
    (id) => {
      expect(parse({ jsonrpc: "2.0", id, method: "ping" })).toMatchObject({
        kind: "invalid",
        id: undefined,
        error: { code: -32600 },
      });
    },
  );

  it("refuses params that are a list with -32602", () => {
    expect(parse({ jsonrpc: "2.0", id: 1, method: "ping", params: [] })).toMatchObject({
      kind: "invalid",
      id: 1,
      error: { code: -32602 },
    });
  });

  it.each(["nonsense", "", "{", '{"jsonrpc":', "5 5", "NaN"])("refuses %j with -32700", (text) => {
    expect(parseMessage(text)).toMatchObject({ kind: "invalid", id: undefined, error: { code: -32700 } });
  });

  it.each(["5", '"text"', "null", "true"])(
    "refuses %s, which is JSON but no message, with -32600",
    (text) => {
      expect(parseMessage(text)).toMatchObject({ kind: "invalid", error: { code: -32600 } });
    },
  );
});

describe("batches", () => {
  it("are read message by message, bad ones beside good ones", () => {
    const batch = parse([{ jsonrpc: "2.0", id: 1, method: "ping" }, 5]);
    expect(batch).toMatchObject({ kind: "batch", messages: [{ kind: "request" }, { kind: "invalid" }] });
  });

  it("hold 1 to 100 messages", () => {
    const message = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect(parse([])).toMatchObject({ kind: "invalid", error: { code: -32600 } });
    expect(parse(Array(100).fill(message))).toMatchObject({ kind: "batch" });
    expect(parse(Array(101).fill(message))).toMatchObject({ kind: "invalid", error: { code: -32600 } });
  });
});

describe("what JSON.parse lets pass", () => {
  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}',
    '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"par\\u0061ms":{}}',
    '[{"jsonrpc":"2.0","id":1,"method":"ping","id":2}]',
    '{"jsonrpc":"2.0","id":1,"result":{},"result":{}}',
    '{"jsonrpc":"2.0","\\u006a\\u0073\\u006f\\u006e\\u0072\\u0070\\u0063":"2.0","id":1,"method":"ping"}',
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"long":"${"\\\\".repeat(40)}é\\"}"},"id":2}`,
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"long":"${"x".repeat(50_000)}"},"id":2}`,
  ])("refuses an envelope that names a member twice: %s", (text) => {
    expect(parseMessage(text)).toMatchObject({ kind: "invalid", error: { code: -32600 } });
  });

  it.each(["name", "uri", "taskId", "arguments", "requestState", "_meta", "n\\u0061me", "any"])(
    "refuses params that name a member twice: %s",
    (spelt) => {
      const name = JSON.parse(`"${spelt}"`) as string;
      const params = `{"${name}":{"a":[1,2],"b":"c"},"other":"${name}","${spelt}":"b"}`;
      const text = `{"jsonrpc":"2.0","params":${params},"id":1,"method":"tools/call"}`;
      const refused = { kind: "invalid", id: 1, error: { code: -32600 } };
      expect(parseMessage(text)).toMatchObject(refused);
      expect(parseMessage(`[${text}]`)).toMatchObject({ kind: "invalid", error: { code: -32600 } });
    },
  );

  it.each([
    '{"name":"a","arguments":{"path":"/tmp","path":"/etc"}}',
    '{"name":"a","arguments":{"files":[{"path":"/tmp","mode":1,"p\\u0061th":"/etc"}]}}',
    '{"name":"a","arguments":{"__proto__":1,"__proto__":2}}',
    '{"name":"a","_meta":{"progressToken":1,"progressToken":2}}',
    '{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"x","io.modelcontextprotocol/protocolVersion":"y"}}',
  ])("refuses params with an object that names a member twice, at any depth: %s", (params) => {
    expect(parseMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`)).toMatchObject({
      kind: "invalid",
      id: 1,
      error: { code: -32600, message: expect.stringContaining("twice") },
    });
    expect(parseMessage(`{"jsonrpc":"2.0","params":${params},"method":"notifications/x"}`)).toMatchObject({
      kind: "invalid",
      isOneWay: true,
    });
  });

  it.each([
    '{"name":"name","arguments":{"name":"name","uri":1,"constructor":2,"__proto__":{"a":":"}},"_meta":{"name":1}}',
    '{"name":"a","list":["name","name",{"name":":"},{"name":[]}],"x":{"name":"name"},"y":1}',
    '["name","name",{"a":1}]',
    '"a:b"',
    "null",
  ])("takes params that name each member once: %s", (params) => {
    expect(parseMessage(`{"jsonrpc":"2.0","id":1,"method":"m","params":${params}}`)).not.toMatchObject({
      error: { message: expect.stringContaining("twice") },
    });
  });

  it("tells the params of the messages of a batch apart", () => {
    const one = '{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"a"}}';
    expect(parseMessage(`[${one},${one}]`)).toMatchObject({ kind: "batch" });
  });

  it("lets the same name stand at different depths", () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"m","params":{"id":2,"method":"x","params":{"id":3}}}';
    expect(parseMessage(text)).toMatchObject({ kind: "request", id: 1, method: "m" });
  });

  it("is not confused by quotes, braces and commas inside strings", () => {
    const params = { a: '\\"},{"id":1,"', b: "\\\\", c: '{"method":' };
    expect(parse({ jsonrpc: "2.0", id: 1, method: "m", params })).toMatchObject({ kind: "request", params });
  });

  it("reads the end of a message only, whatever a longer one before it held", () => {
    parse({ jsonrpc: "2.0", id: 1, method: "m", params: { id: 1, text: "x".repeat(200) } });
    expect(parseMessage('{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"b')).toMatchObject({
      kind: "invalid",
      error: { code: -32700 },
    });
  });

  it("refuses nesting deeper than 128 levels, however deep, and takes 128", () => {
    const nested = (depth: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
    expect(parseMessage(nested(126))).toMatchObject({ kind: "request" });
    expect(parseMessage(nested(127))).toMatchObject({ kind: "invalid", error: { code: -32600 } });
    expect(parseMessage(nested(100_000))).toMatchObject({ kind: "invalid", error: { code: -32600 } });
  });

  it("keeps __proto__ an ordinary member", () => {
    const message = parseMessage(
      '{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":{"polluted":true}}}',
    );
    expect(message).toMatchObject({ kind: "request" });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe("a byte order mark", () => {
  it("may come first", () => {
    const text = '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}';
    expect(parseMessage(text)).toMatchObject({ kind: "request", id: 1 });
  });
});

describe("writing", () => {
  it("repeats ids in their own type and splices text that is encoded already", () => {
    expect(encodeResponse(1, {})).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(encodeResponse("1", new JsonText('{"a":1}'))).toBe('{"jsonrpc":"2.0","id":"1","result":{"a":1}}');
    expect(encodeFailure(null, { code: -32700, message: "m" })).toContain('"id":null');
  });

  it("escapes a lone surrogate, so that the bytes stay valid UTF-8", () => {
    expect(encodeResponse(1, { text: "\ud800" })).toContain("\\ud800");
  });

  it("knows a usable id", () => {
    expect([0, -1, "", "a"].every(isRequestId)).toBe(true);
    expect([1.5, null, undefined, Number.NaN, 2 ** 53].some(isRequestId)).toBe(false);
  });
});
