import { describe, expect, test } from "vitest";
import { ListedTools } from "../../src/client/lists/listed-tools.ts";
import { openClient } from "../support/open-client.ts";
import { discoverServer } from "../support/scripted-server.ts";

const tool = (name: string, others: object = {}) => ({ name, inputSchema: { type: "object" }, ...others });

test("over a pipe, which has no headers, a call does not list the tools first", async () => {
  const server = discoverServer({ script: { "tools/call": () => ({ content: [] }) } });
  const client = await openClient(server);
  await client.tools.call("anything");
  expect(server.line.methods()).toEqual(["server/discover", "tools/call"]);
});

describe("what a list of tools tells", () => {
  test("which tools may be called twice", () => {
    const listed = new ListedTools(() => {});
    listed.take({
      tools: [
        tool("read", { annotations: { readOnlyHint: true } }),
        tool("put", { annotations: { idempotentHint: true } }),
        tool("write", { annotations: { readOnlyHint: false, idempotentHint: "yes" } }),
        tool("plain"),
      ],
    });
    const names = ["read", "put", "write", "plain", "unknown", undefined, "__proto__", "constructor"];
    expect(names.filter((name) => listed.find(name)?.isRepeatable)).toEqual(["read", "put"]);
    expect(names.filter((name) => listed.find(name))).toEqual(["read", "put", "write", "plain"]);
  });

  test("nothing when it is no list, or its items are no tools", () => {
    const problems: Error[] = [];
    const listed = new ListedTools((problem) => problems.push(problem));
    const odd = { tools: [null, 7, {}, { name: 5 }, { name: "a" }] };
    expect(listed.filter(odd)).toBe(odd);
    expect(listed.filter({ tools: "many" })).toEqual({ tools: "many" });
    listed.take({});
    expect(listed.find("a")).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test("the same list where all is well, and one without the tools that are not", () => {
    const problems: string[] = [];
    const listed = new ListedTools(({ message }) => problems.push(message));
    const good = tool("good");
    const bad = tool("bad", { inputSchema: { type: "object", "x-mcp-header": "X" } });
    const fine = { tools: [good], nextCursor: "n" };
    expect(listed.filter(fine)).toBe(fine);
    expect(listed.filter({ tools: [bad, good], nextCursor: "n" })).toEqual(fine);
    expect(problems).toEqual([expect.stringContaining('"bad"')]);
  });

  test("no tools but those of the last list that was read to its end", () => {
    const listed = new ListedTools(() => {});
    listed.filter({ tools: [tool("old")] });
    const endList = listed.beginList();
    listed.filter({ tools: [tool("new")] });
    expect(listed.find("old")).toBeDefined();
    endList();
    expect(listed.find("old")).toBeUndefined();
    expect(listed.find("new")).toBeDefined();
  });
});
