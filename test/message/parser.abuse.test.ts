import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parseMessage } from "../../src/protocol/parse.ts";

describe("the parser", () => {
  it.each([
    "Params",
    "PARAMS",
    "param\u017f",
    "JsonRPC",
    "j\u017fonrpc",
    "ID",
    "Method",
    "RESULT",
    "re\u017fult",
    "Error",
  ])("a member that others would take for one of the envelope is refused: %s", (name) => {
    const escaped = `\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}${name.slice(1)}`;
    for (const key of [name, escaped]) {
      const call = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"${key}":{}}`;
      expect(parseMessage(call)).toMatchObject({ kind: "invalid", id: 1, error: { code: -32600 } });
      const answer = `{"jsonrpc":"2.0","${key}":{},"id":1,"result":{}}`;
      expect(parseMessage(answer)).toMatchObject({ kind: "invalid", id: 1, mayBeResponse: true });
      const batch = `[{"jsonrpc":"2.0","id":0,"method":"ping"},${call}]`;
      expect(parseMessage(batch)).toMatchObject({ kind: "invalid", error: { code: -32600 } });
    }
  });

  it("members that nobody takes for one of the envelope are ignored, and names inside params are free", () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"ping","trace":1,"ids":2,"params":{"Method":1,"ID":2}}';
    expect(parseMessage(text)).toMatchObject({ kind: "request", params: { Method: 1, ID: 2 } });
  });

  it.each([
    '{"a":0,"n":1e8,"a":1}',
    '{"a":0,"n":12e8,"a":1}',
    '{"a":0,"n":-1e8,"a":1}',
    '{"b":{"a":0,"n":[1e8],"a":1}}',
  ])("a member that is named twice does not hide behind a number in few letters: %s", (params) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    expect(JSON.stringify(JSON.parse(text))).toHaveLength(text.length);
    expect(parseMessage(text)).toMatchObject({
      kind: "invalid",
      error: { message: expect.stringContaining("twice") },
    });
  });

  it("reads deep nesting, long strings and long lists in proportion to their length", () => {
    const head = '{"jsonrpc":"2.0","id":1,"method":"m","params":';
    const texts = [
      `${head}${"[".repeat(500_000)}`,
      `${head}{"a":"${"\\\\".repeat(2_000_000)}"}}`,
      `${head}{"a":"${'\\"'.repeat(2_000_000)}"}}`,
      `${head}{"a":[${"{},".repeat(500_000)}{}]}}`,
    ];
    const start = performance.now();
    expect(texts.map((text) => parseMessage(text).kind)).toEqual([
      "invalid",
      "request",
      "request",
      "request",
    ]);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it.each([
    ["names", (part: number) => `"${part.toString(36)}":1`, "{}"],
    ["strings", (part: number) => `"${part.toString(36)}"`, "[]"],
    ["lists", () => "[]", "[]"],
    ["objects", () => "{}", "[]"],
  ] as const)(
    "parses no message with more than a million %s, which would stop everything else for long",
    (_, write, [open, close]) => {
      const parse = vi.spyOn(JSON, "parse");
      onTestFinished(() => parse.mockRestore());
      const toText = (parts: number) =>
        `{"jsonrpc":"2.0","id":1,"result":{"a":${open}${Array.from({ length: parts }, (_, part) => write(part)).join()}${close}}}`;
      expect(parseMessage(toText(100_000))).toMatchObject({ kind: "response" });
      parse.mockClear();
      expect(parseMessage(toText(1_000_001))).toMatchObject({
        kind: "invalid",
        error: { code: -32600, message: expect.stringContaining("1000000 strings, lists and objects") },
      });
      expect(parse).not.toHaveBeenCalled();
    },
  );

  it.each(["0.5", "1", "-1e5", "true", "null"])(
    "parses no message with more than five million values, such as %s",
    (value) => {
      const parse = vi.spyOn(JSON, "parse");
      onTestFinished(() => parse.mockRestore());
      const toText = (values: number) =>
        `{"jsonrpc":"2.0","id":1,"result":{"a":[${`${value},`.repeat(values)}${value}]}}`;
      expect(parseMessage(toText(1_500_000))).toMatchObject({ kind: "response" });
      parse.mockClear();
      expect(parseMessage(toText(5_000_001))).toMatchObject({
        kind: "invalid",
        error: { code: -32600, message: expect.stringContaining("5000000 values") },
      });
      expect(parse).not.toHaveBeenCalled();
    },
  );
});
