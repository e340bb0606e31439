import { describe, expect, test } from "vitest";
import type { ClientCall } from "../../../src/client/middleware.ts";
import { toRequestHeaders } from "../../../src/client/request-headers.ts";
import { findParamHeaders } from "../../../src/protocol/headers/param-headers.ts";

function request(method: string, params: object): ClientCall {
  return { method, params: { ...params } };
}

function mirroredBy(schema: object) {
  const mirroring = findParamHeaders({ ...schema });
  if (!mirroring.ok) throw new Error(mirroring.problem);
  return mirroring.params;
}

describe("the headers of a request", () => {
  test.each([
    ["tools/call", { name: "a" }, "a"],
    ["prompts/get", { name: "b" }, "b"],
    ["resources/read", { uri: "file:///c" }, "file:///c"],
    ["tasks/get", { taskId: "d" }, "d"],
    ["tools/list", { name: "e" }, undefined],
    ["custom/method", { name: "f" }, undefined],
    ["tools/call", { name: 7 }, undefined],
  ])("of %s with %j name %s", (method, params, name) => {
    const headers = toRequestHeaders(request(method, params));
    expect(headers).toEqual(name === undefined ? {} : { "mcp-name": name });
  });

  const text = mirroredBy({ properties: { v: { type: "string", "x-mcp-header": "V" } } });

  test.each([
    ["us-west1", "us-west1"],
    ["two words", "two words"],
    ["", ""],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["a\tb", "=?base64?YQli?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["x\r\nInjected: yes", "=?base64?eA0KSW5qZWN0ZWQ6IHllcw==?="],
    ["\0", "=?base64?AA==?="],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    [42, "42"],
    [-7, "-7"],
    [true, "true"],
    [false, "false"],
    [null, undefined],
    [{}, undefined],
    [[1], undefined],
  ])("carry the argument %j as %j", (value, header) => {
    const headers = toRequestHeaders(request("tools/call", { name: "t", arguments: { v: value } }), text);
    expect(headers["mcp-param-V"]).toBe(header);
    // What the platform would refuse, or fold into another header.
    expect(() => new Headers({ ...headers })).not.toThrow();
  });

  test("take arguments from exactly where the schema says", () => {
    const nested = mirroredBy({
      properties: { a: { type: "object", properties: { b: { type: "integer", "x-mcp-header": "B" } } } },
    });
    const of = (args: unknown) =>
      toRequestHeaders(request("tools/call", { name: "t", arguments: args }), nested);
    expect(of({ a: { b: 5 } })["mcp-param-B"]).toBe("5");
    expect(of({ b: 5 })["mcp-param-B"]).toBeUndefined();
    expect(of({ a: 5 })["mcp-param-B"]).toBeUndefined();
    expect(of(undefined)["mcp-param-B"]).toBeUndefined();
    expect(of(Object.create({ a: { b: 5 } }))["mcp-param-B"]).toBeUndefined();
  });
});
