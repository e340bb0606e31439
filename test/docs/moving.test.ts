// The table of docs/moving.md leads to what exists, from what does not.
import { readFileSync } from "node:fs";
import * as server from "allspeak";
import { createServer } from "allspeak";
import * as auth from "allspeak/auth";
import * as client from "allspeak/client";
import * as http from "allspeak/http";
import * as node from "allspeak/node";
import { expect, it } from "vitest";

const page = readFileSync(new URL("../../docs/moving.md", import.meta.url), "utf8");
const [, names = ""] = page.split("\n## Names\n");
const rows = [...names.matchAll(/^\| (`.*) \|$/gm)].map(([, row = ""]) => row.split(" | "));
const exported = { ...server, ...auth, ...client, ...http, ...node } as Record<string, unknown>;

/** The functions that a cell calls on an object of this name, such as `tools.call`. */
function methodsIn(cells: readonly string[], object: string): string[] {
  const pattern = new RegExp(`\`(?:await )?${object}\\.((?:\\w+\\.)?\\w+)\\(`, "g");
  return cells.flatMap((cell) => [...cell.matchAll(pattern)].map(([, path = ""]) => path));
}

function find(value: unknown, path: string): unknown {
  return path.split(".").reduce((found, name) => Object(found)[name], value);
}

it("each name of ours in docs/moving.md is a function", async () => {
  const ours = rows.map((row) => row[2] ?? "");
  const value = createServer({ name: "test", version: "1.0.0" });
  let ctx: unknown;
  value.tool("look", {}, (_, given) => {
    ctx = given;
    return "";
  });
  await using connected = await client.connect(value);
  await connected.tools.call("look");
  for (const [object, found] of Object.entries({ server: value, client: connected, ctx })) {
    const methods = methodsIn(ours, object);
    expect(methods.length).toBeGreaterThan(1);
    expect(methods.filter((path) => typeof find(found, path) !== "function")).toEqual([]);
  }
  const called = ours.flatMap((cell) =>
    [...cell.matchAll(/`(?:auth: |throw new )?(\w+)\(/g)].map(([, name = ""]) => name),
  );
  expect(called).toContain("createServer");
  expect(called.filter((name) => typeof exported[name] !== "function")).toEqual([]);
});

it("docs/moving.md has every name that a client or server of the official SDK is called by", () => {
  const theirs = rows.map((row) => row[0] ?? "");
  expect(methodsIn(theirs, "client")).toEqual(
    expect.arrayContaining(["listTools", "callTool", "readResource", "getPrompt", "setRequestHandler"]),
  );
  expect(methodsIn(theirs, "server")).toEqual(
    expect.arrayContaining(["registerTool", "registerResource", "registerPrompt"]),
  );
});
