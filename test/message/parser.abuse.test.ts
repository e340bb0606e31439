import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeUtf8 } from "../../src/lib/encoding/utf8.ts";
import { parseMessage } from "../../src/protocol/parse.ts";

const kinds = ["request", "notification", "response", "failure", "invalid", "batch"];
const codes = [-32700, -32600, -32602];
const prototype = JSON.stringify(Object.getOwnPropertyNames(Object.prototype).sort());

const member = fc.constantFrom("jsonrpc", "id", "method", "params", "result", "error", "__proto__", "x");
const envelope = fc.dictionary(
  member,
  fc.oneof(fc.constant("2.0"), fc.integer(), fc.string(), fc.jsonValue()),
);
const mutated = fc
  .tuple(fc.jsonValue(), fc.nat(), fc.string({ maxLength: 3 }))
  .map(([value, at, inserted]) => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { value } });
    const cut = at % (text.length + 1);
    return text.slice(0, cut) + inserted + text.slice(cut);
  });

describe("the parser", () => {
  it("makes one of the known kinds of any text, and never throws", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          envelope.map((e) => JSON.stringify(e)),
          mutated,
        ),
        (text) => {
          const message = parseMessage(text);
          expect(kinds).toContain(message.kind);
          if (message.kind === "invalid") expect(codes).toContain(message.error.code);
        },
      ),
      { numRuns: 25_000 },
    );
    expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype).sort())).toBe(prototype);
  });

  it("makes one of the known kinds of any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(kinds).toContain(parseMessage(decodeUtf8(bytes) ?? "").kind);
      }),
      { numRuns: 25_000 },
    );
  });

  it("gives back exactly what was written", () => {
    const id = fc.oneof(fc.maxSafeInteger(), fc.string({ maxLength: 256 }));
    const params = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(id, fc.string(), params, (requestId, method, given) => {
        const text = JSON.stringify({ jsonrpc: "2.0", id: requestId, method, params: given });
        expect(JSON.stringify(parseMessage(text))).toBe(
          JSON.stringify({ kind: "request", id: requestId, method, params: given }),
        );
      }),
      { numRuns: 5000 },
    );
  });

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

  it("an envelope member named twice is refused wherever it stands and however it is spelt", () => {
    const names = fc.constantFrom("jsonrpc", "id", "method", "params");
    const others = fc.array(fc.tuple(fc.string(), fc.jsonValue()), { maxLength: 5 });
    fc.assert(
      fc.property(names, fc.boolean(), others, (name, escaped, noise) => {
        const spelt = escaped ? `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}` : name;
        const between = noise
          .map(([key, value]) => `${JSON.stringify(`n${key}`)}:${JSON.stringify(value)},`)
          .join("");
        const text = `{"jsonrpc":"2.0","id":1,"method":"m","params":{},${between}"${spelt}":1}`;
        expect(parseMessage(text)).toMatchObject({ kind: "invalid", error: { code: -32600 } });
      }),
      { numRuns: 2000 },
    );
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

  it("reads the shortest text of a message like all of its other texts", () => {
    const key = fc.oneof(member, fc.constantFrom("a", "A", "ID", "Method", "\\u0069d", "_meta", "1", ""));
    const leaf = fc.oneof(
      fc.constantFrom("0", "-0", "7", "10", "100", "1000", "1e3", "12e7", "1.0", "0.5", "-1e8", "1e400"),
      fc.constantFrom("true", "false", "null", '""', '"2.0"', '"\\n"', '"\\u0041"', '"\u{1f600}"'),
    );
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
        fc
          .array(fc.tuple(key, tie("value")), { maxLength: 4 })
          .map((members) => `{${members.map(([name, one]) => `"${name}":${one}`).join(",")}}`),
      ),
    }));
    const message = fc
      .tuple(value, value, fc.array(fc.tuple(key, value), { maxLength: 2 }))
      .map(([id, params, others]) => {
        const more = others.map(([name, one]) => `,"${name}":${one}`).join("");
        return `{"jsonrpc":"2.0","id":${id},"method":"m","params":${params}${more}}`;
      });
    fc.assert(
      fc.property(fc.oneof(message, value, mutated), (text) => {
        expect(parseMessage(text)).toEqual(parseMessage(` ${text}`));
      }),
      { numRuns: 5000 },
    );
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
});
