import { afterEach, describe, expect, test, vi } from "vitest";
import { InvalidResponseError } from "../../src/errors.ts";
import { failure, openClient } from "../support/open-client.ts";
import {
  discoverServer,
  handshakeServer,
  type Script,
  silence,
  type Wire,
} from "../support/scripted-server.ts";
import { allowViolations } from "../support/wire-schema/wire-check.ts";

afterEach(() => {
  vi.useRealTimers();
});

const contents = (uri: string) => [{ uri, text: "hello" }];

function fileServer(members: object = {}) {
  return discoverServer({
    script: { "resources/read": ({ uri }: Wire) => ({ contents: contents(uri), ...members }) },
  });
}

const reads = (server: ReturnType<typeof fileServer>) => server.line.paramsOf("resources/read").length;

describe("reading a resource", () => {
  test("gives its contents, and leaves out those that are none", async () => {
    const problems: Error[] = [];
    const mixed = [
      { uri: "file:///a", text: "hello" },
      { uri: "file:///a" },
      { uri: "file:///b", blob: "AA==" },
    ];
    const server = handshakeServer("2025-11-25", {
      script: { "resources/read": () => ({ contents: mixed }) },
    });
    const client = await openClient(server, { onProblem: (problem) => problems.push(problem) });
    expect(await client.resources.read("file:///a")).toEqual({ contents: [mixed[0], mixed[2]] });
    expect(problems.length).toBe(1);
  });

  test("without contents is refused", async () => {
    const server = discoverServer({ script: { "resources/read": () => ({}) } });
    const client = await openClient(server);
    expect(await failure(client.resources.read("file:///a"))).toBeInstanceOf(InvalidResponseError);
  });
});

describe("a URI with braces", () => {
  const uri = "file:///{a}.txt";

  afterEach(() => allowViolations("a server may list such a URI", /ReadResourceRequest #\/params\/uri/));

  const open = async (script: Script) => {
    const server = handshakeServer("2025-11-25", { script });
    return { server, client: await openClient(server, { onProblem: () => {} }) };
  };

  test("is read as it is, without a look at the templates", async () => {
    const { server, client } = await open({
      "resources/read": ({ uri }: Wire) => ({ contents: contents(uri) }),
      "resources/templates/list": () => ({ resourceTemplates: [{ name: "files", uriTemplate: uri }] }),
    });
    expect(await client.resources.read(uri)).toEqual({ contents: contents(uri) });
    expect(server.line.methods()).not.toContain("resources/templates/list");
  });

  test("that can't be read is refused where it is a template, which needs its variables", async () => {
    const resourceTemplates = [{ name: "files", uriTemplate: uri }];
    const { client } = await open({ "resources/templates/list": () => ({ resourceTemplates }) });
    const error = await failure(client.resources.read(uri));
    expect(error).toMatchObject({ code: "usage", cause: { wireCode: -32601 } });
    expect(error.message).toContain('variables: { a: "…" }');
  });

  test.each<[string, Script]>([
    ["lists other templates", { "resources/templates/list": () => ({ resourceTemplates: [] }) }],
    ["has no list of templates", {}],
    ["has a malformed list of templates", { "resources/templates/list": () => ({}) }],
  ])("that can't be read from a server that %s fails with the error of the read", async (_, script) => {
    const { client } = await open(script);
    expect(await failure(client.resources.read(uri))).toMatchObject({ code: "rpc", wireCode: -32601 });
  });

  test("that can't be read and is listed as a malformed template fails with the error of the read", async () => {
    const resourceTemplates = [{ name: "files", uriTemplate: "file:///{{a}}" }];
    const { client } = await open({ "resources/templates/list": () => ({ resourceTemplates }) });
    expect(await failure(client.resources.read("file:///{{a}}"))).toMatchObject({ wireCode: -32601 });
  });

  test("that can't be read waits for the templates only as long as its caller", async () => {
    const stop = new AbortController();
    const { server, client } = await open({
      "resources/templates/list": () => {
        stop.abort();
        return silence;
      },
    });
    expect(await failure(client.resources.read(uri, { signal: stop.signal }))).toMatchObject({
      wireCode: -32601,
    });
    const idle = { "resources/templates/list": () => silence };
    const hasty = (await open(idle)).client.resources.read(uri, { timeout: { total: 50 } });
    expect(await failure(hasty)).toMatchObject({ wireCode: -32601 });
    expect(server.line.methods()).toContain("resources/templates/list");
  });
});

describe("contents that may be kept", () => {
  test("are, for their time, and only for their own URI", async () => {
    vi.useFakeTimers();
    const server = fileServer({ ttlMs: 1_000 });
    const client = await openClient(server);
    await client.resources.read("file:///a");
    expect((await client.resources.read("file:///a")).contents).toEqual(contents("file:///a"));
    expect(reads(server)).toBe(1);
    expect((await client.resources.read("file:///b")).contents).toEqual(contents("file:///b"));
    expect(reads(server)).toBe(2);
    await vi.advanceTimersByTimeAsync(1_000);
    await client.resources.read("file:///a");
    expect(reads(server)).toBe(3);
  });

  test("are not when nothing says so", async () => {
    const server = fileServer();
    const client = await openClient(server);
    await client.resources.read("file:///a");
    await client.resources.read("file:///a");
    expect(reads(server)).toBe(2);
  });

  test("are forgotten when the server says that they changed", async () => {
    const server = fileServer({ ttlMs: 60_000 });
    const client = await openClient(server);
    await client.resources.read("file:///a");
    await client.resources.read("file:///b");
    server.line.notify("notifications/resources/updated", { uri: "file:///a" });
    await client.ping();
    await client.resources.read("file:///a");
    await client.resources.read("file:///b");
    expect(reads(server)).toBe(3);
  });

  test("are not used when fresh ones are asked for", async () => {
    const server = fileServer({ ttlMs: 60_000 });
    const client = await openClient(server);
    await client.resources.read("file:///a");
    await client.resources.read("file:///a", { fresh: true });
    await client.resources.read("file:///a", { meta: { as: "somebody else" } });
    expect(reads(server)).toBe(3);
  });

  test("are not kept when they came of answers of the user", async () => {
    const server = discoverServer({
      script: {
        "resources/read": ({ uri, requestState }: Wire) =>
          requestState
            ? { contents: contents(uri), ttlMs: 60_000 }
            : { resultType: "input_required", requestState: "s" },
      },
    });
    const client = await openClient(server);
    await client.resources.read("file:///a");
    await client.resources.read("file:///a");
    expect(reads(server)).toBe(4);
  });

  test("are kept for the last hundred only", async () => {
    const server = fileServer({ ttlMs: 60_000 });
    const client = await openClient(server);
    for (let n = 0; n <= 100; n++) await client.resources.read(`file:///${n}`);
    await client.resources.read("file:///100");
    expect(reads(server)).toBe(101);
    await client.resources.read("file:///0");
    expect(reads(server)).toBe(102);
  });

  test("are kept up to 16 Mi characters: the oldest go, and what is larger is never kept", async () => {
    const server = fileServer({ ttlMs: 60_000, _meta: { pad: "x".repeat(7 * 1024 * 1024) } });
    const client = await openClient(server);
    for (const uri of ["file:///a", "file:///b", "file:///c", "file:///b", "file:///c"])
      await client.resources.read(uri);
    expect(reads(server)).toBe(3);
    await client.resources.read("file:///a");
    expect(reads(server)).toBe(4);

    const large = fileServer({ ttlMs: 60_000, _meta: { pad: "x".repeat(16 * 1024 * 1024) } });
    const other = await openClient(large);
    for (let n = 0; n < 2; n++) await other.resources.read("file:///a");
    expect(reads(large)).toBe(2);
  });
});
