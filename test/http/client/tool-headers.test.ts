import { describe, expect, test } from "vitest";
import { ToolHeaders } from "../../../src/transports/http/client/tool-headers.ts";

const tool = (name: string, others: object = {}) => ({ name, inputSchema: { type: "object" }, ...others });

describe("what a list of tools tells", () => {
  test("which tools may be called twice", () => {
    const book = new ToolHeaders(() => {});
    book.take({
      tools: [
        tool("read", { annotations: { readOnlyHint: true } }),
        tool("put", { annotations: { idempotentHint: true } }),
        tool("write", { annotations: { readOnlyHint: false, idempotentHint: "yes" } }),
        tool("plain"),
      ],
    });
    const names = ["read", "put", "write", "plain", "unknown", undefined, "__proto__", "constructor"];
    expect(names.filter((name) => book.isRepeatable(name))).toEqual(["read", "put"]);
    expect(names.filter((name) => book.knows(name))).toEqual(["read", "put", "write", "plain"]);
  });

  test("nothing when it is no list, or its items are no tools", () => {
    const problems: Error[] = [];
    const book = new ToolHeaders((problem) => problems.push(problem));
    const odd = { tools: [null, 7, {}, { name: 5 }, { name: "a" }] };
    expect(book.filter(odd)).toBe(odd);
    expect(book.filter({ tools: "many" })).toEqual({ tools: "many" });
    book.take({});
    expect(book.knows("a")).toBe(false);
    expect(problems).toEqual([]);
  });

  test("the same list where all is well, and one without the tools that are not", () => {
    const problems: string[] = [];
    const book = new ToolHeaders(({ message }) => problems.push(message));
    const good = tool("good");
    const bad = tool("bad", { inputSchema: { type: "object", "x-mcp-header": "X" } });
    const fine = { tools: [good], nextCursor: "n" };
    expect(book.filter(fine)).toBe(fine);
    expect(book.filter({ tools: [bad, good], nextCursor: "n" })).toEqual(fine);
    expect(problems).toEqual([expect.stringContaining('"bad"')]);
  });
});
