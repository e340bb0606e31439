import { describe, expect, it } from "vitest";
import { toPath } from "../../src/lib/text/issue.ts";

describe("the path of an issue", () => {
  it.each<[readonly PropertyKey[], string]>([
    [[], ""],
    [["address", "city"], "address.city"],
    [["items", 2], "items[2]"],
    [[0, "a"], "[0].a"],
    [["x-mcp-header", "$ref"], "x-mcp-header.$ref"],
    [["a b", "c"], '["a b"].c'],
    [["a", 'quote"d'], 'a["quote\\"d"]'],
    [[""], '[""]'],
    [[Symbol("s")], '["Symbol(s)"]'],
  ])("for %j is %s", (keys, path) => {
    expect(toPath(keys)).toBe(path);
  });
});
