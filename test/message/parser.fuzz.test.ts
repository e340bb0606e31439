import fc from "fast-check";
import { afterAll, describe, expect } from "vitest";
import { decodeUtf8 } from "../../src/lib/encoding/utf8.ts";
import { parseMessage } from "../../src/protocol/parse.ts";
import { fuzz } from "../support/fuzz.ts";

const kinds = ["request", "notification", "response", "failure", "invalid", "batch"];
const codes = [-32700, -32600, -32602];
const namesOfPrototype = () => Object.getOwnPropertyNames(Object.prototype).sort();
const prototype = namesOfPrototype();

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
  afterAll(() => expect(namesOfPrototype()).toEqual(prototype));

  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    envelope.map((members) => JSON.stringify(members)),
    mutated,
  );
  fuzz("message", "makes one of the known kinds of any text, and never throws", texts, (text) => {
    const message = parseMessage(text);
    expect(kinds).toContain(message.kind);
    if (message.kind === "invalid") expect(codes).toContain(message.error.code);
  });

  const bytes = fc.uint8Array({ maxLength: 200 });
  fuzz("message", "makes one of the known kinds of any bytes", bytes, (given) => {
    expect(kinds).toContain(parseMessage(decodeUtf8(given) ?? "").kind);
  });

  const request = fc.record({
    id: fc.oneof(fc.maxSafeInteger(), fc.string({ maxLength: 256 })),
    method: fc.string(),
    params: fc.dictionary(fc.string(), fc.jsonValue()),
  });
  fuzz("message", "gives back exactly what was written", request, (given) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...given });
    expect(JSON.stringify(parseMessage(text))).toBe(JSON.stringify({ kind: "request", ...given }));
  });

  const doubled = fc
    .record({
      name: fc.constantFrom("jsonrpc", "id", "method", "params"),
      isEscaped: fc.boolean(),
      others: fc.array(fc.tuple(fc.string(), fc.jsonValue()), { maxLength: 5 }),
    })
    .map(({ name, isEscaped, others }) => {
      const spelt = isEscaped ? `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}` : name;
      const between = others.map(([key, value]) => `${JSON.stringify(`n${key}`)}:${JSON.stringify(value)},`);
      return `{"jsonrpc":"2.0","id":1,"method":"m","params":{},${between.join("")}"${spelt}":1}`;
    });
  fuzz(
    "message",
    "refuses an envelope member named twice, wherever and however it is spelt",
    doubled,
    (text) => {
      expect(parseMessage(text)).toMatchObject({ kind: "invalid", error: { code: -32600 } });
    },
  );

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
  const written = fc
    .tuple(value, value, fc.array(fc.tuple(key, value), { maxLength: 2 }))
    .map(([id, params, others]) => {
      const more = others.map(([name, one]) => `,"${name}":${one}`).join("");
      return `{"jsonrpc":"2.0","id":${id},"method":"m","params":${params}${more}}`;
    });
  const spellings = fc.oneof(written, value, mutated);
  fuzz("message", "reads the shortest text of a message like all of its other texts", spellings, (text) => {
    expect(parseMessage(text)).toEqual(parseMessage(` ${text}`));
  });
});
