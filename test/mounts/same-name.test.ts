import { describe, expect, test } from "vitest";
import { createServer, type LogEntry, RegistrationError, type Server } from "../../src/index.ts";
import { openClient } from "../support/open-client.ts";

const make = (name: string) => createServer({ name, version: "1" });

const kinds = [
  ["tool", (server: Server, name: string) => server.tool(name, "It", () => server.info.name)],
  ["prompt", (server: Server, name: string) => server.prompt(name, {}, () => server.info.name)],
] as const;

describe.each(kinds)("two of one name: %s", (_, add) => {
  test("are refused when the name comes with a mount", () => {
    const host = make("host");
    const maps = make("maps");
    add(host, "maps_find");
    add(maps, "find");
    expect(() => host.mount("maps", maps)).toThrow(RegistrationError);
    expect(() => host.mount("cards", maps)).not.toThrow();
  });

  test("are refused when the host registers the name of a mounted one", () => {
    const host = make("host");
    const maps = make("maps");
    add(maps, "find");
    host.mount("maps", maps);
    expect(() => add(host, "maps_find")).toThrow(/"maps_find" exists already/);
    add(host, "find");
  });

  test("are refused when the mounted server registers a name of its host", () => {
    const outermost = make("outermost");
    const host = make("host");
    const maps = make("maps");
    host.mount("maps", maps);
    outermost.mount("in", host);
    add(host, "maps_find");
    add(outermost, "in_maps_way");
    expect(() => add(maps, "find")).toThrow(/"maps_find" exists already/);
    expect(() => add(maps, "way")).toThrow(/"in_maps_way" exists already/);
    add(maps, "other");
  });

  test("are refused when the prefixes of two mounts make them the same", () => {
    const host = make("host");
    const short = make("short");
    const long = make("long");
    add(short, "b_find");
    host.mount("a", short);
    host.mount("a_b", long);
    expect(() => add(long, "find")).toThrow(RegistrationError);
  });

  test("are allowed again when the first is removed, or its mount", () => {
    const host = make("host");
    const maps = make("maps");
    const found = add(maps, "find");
    const mount = host.mount("maps", maps);
    found.remove();
    const own = add(host, "maps_find");
    own.remove();
    add(maps, "find");
    mount.remove();
    add(host, "maps_find");
    add(maps, "way");
    add(host, "maps_way");
  });
});

test("a name that a mounted client brings later is listed once, called where it is listed, and reported", async () => {
  const upstream = make("maps");
  upstream.tool("find", "Finds elsewhere", () => "elsewhere");
  upstream.tool("way", "Finds a way", () => "a way");
  const entries: LogEntry[] = [];
  const host = createServer({ name: "host", version: "1", log: (entry) => entries.push(entry) });
  host.tool("maps_find", "Finds here", () => "here");
  host.mount("maps", await openClient(upstream));
  const client = await openClient(host);
  const tools = await client.tools.list().all();
  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ["maps_find", "Finds here"],
    ["maps_way", "Finds a way"],
  ]);
  expect((await client.tools.call("maps_find")).content).toMatchObject([{ text: "here" }]);
  expect(entries).toMatchObject([{ message: expect.stringContaining("maps_find") }]);
});

test("clients under overlapping prefixes are called by every name that was listed", async () => {
  const short = make("short");
  short.tool("b_find", "Finds", () => "short");
  const long = make("long");
  long.tool("way", "Finds a way", () => "long");
  const host = make("host");
  host.mount("a", await openClient(short));
  host.mount("a_b", await openClient(long));
  const client = await openClient(host);
  await client.tools.list().all();
  expect((await client.tools.call("a_b_find")).content).toMatchObject([{ text: "short" }]);
  expect((await client.tools.call("a_b_way")).content).toMatchObject([{ text: "long" }]);
});
