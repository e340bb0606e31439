import { afterEach, describe, expect, test, vi } from "vitest";
import { type Client, type ConnectOptions, pinTools } from "../../src/client.ts";
import { InvalidResponseError, RpcError, TimeoutError } from "../../src/errors.ts";
import { openHttp } from "../support/http/open-http.ts";
import { aloneScript, done, ScriptedHttp } from "../support/http/scripted-http.ts";
import { failure, openClient } from "../support/open-client.ts";
import {
  type Answer,
  discoverServer,
  everyCapability,
  handshakeServer,
  silence,
} from "../support/scripted-server.ts";

const tool = (name: string, members: object = {}) => ({ name, inputSchema: { type: "object" }, ...members });
const task = { taskId: "t", status: "working", createdAt: "", lastUpdatedAt: "", ttl: null };

/** An object of so many levels. */
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

type List = (client: Client, options?: { readonly timeout?: object }) => Promise<readonly unknown[]>;

const lists: [method: string, key: string, item: object, list: List][] = [
  ["tools/list", "tools", tool("a"), (client, options) => client.tools.list(options).all()],
  [
    "resources/list",
    "resources",
    { uri: "a:b", name: "a" },
    (client, options) => client.resources.list(options).all(),
  ],
  [
    "resources/templates/list",
    "resourceTemplates",
    { uriTemplate: "a:{b}", name: "a" },
    (client, options) => client.resources.templates(options).all(),
  ],
  ["prompts/list", "prompts", { name: "a" }, (client, options) => client.prompts.list(options).all()],
  ["tasks/list", "tasks", task, (client, options) => client.tasks.list(options).all()],
];

async function open(method: string, answer: Answer, options: ConnectOptions = {}) {
  const problems: Error[] = [];
  const server = handshakeServer("2025-11-25", {
    capabilities: { ...everyCapability, tasks: { list: {} } },
    script: { [method]: answer },
  });
  const client = await openClient(server, { onProblem: (problem) => problems.push(problem), ...options });
  return { client, problems, requests: () => server.line.paramsOf(method) };
}

afterEach(() => {
  vi.useRealTimers();
});

describe.each(lists)("%s of a hostile server", (method, key, item, list) => {
  test("ends at an empty cursor that comes twice, with a report", async () => {
    const pages = [[item, item], [item]];
    const answer = () => ({ [key]: pages.shift(), nextCursor: "" });
    const { client, problems, requests } = await open(method, answer);
    expect(await list(client)).toHaveLength(3);
    expect(requests()).toEqual([{}, { cursor: "" }]);
    expect(problems.map(({ message }) => message)).toEqual([
      `${method} repeats a cursor and would never end; it was ended there.`,
    ]);
  });

  test("has every item once if the server reads no cursors, and always gives the same", async () => {
    const { client, problems, requests } = await open(method, () => ({ [key]: [item], nextCursor: "" }));
    expect(await list(client)).toHaveLength(1);
    expect(requests()).toEqual([{}, { cursor: "" }]);
    expect(problems.map(({ message }) => message)).toEqual([
      `${method} repeats a cursor and would never end; it was ended there.`,
    ]);
  });

  test("ends at a cursor that comes again later", async () => {
    const cursors = ["a", "b", "a"];
    const { client, requests } = await open(method, () => ({ [key]: [item], nextCursor: cursors.shift() }));
    expect(await list(client)).toHaveLength(3);
    expect(requests()).toHaveLength(3);
  });

  test("is refused where a cursor comes twice, when strict", async () => {
    const { client } = await open(method, () => ({ [key]: [], nextCursor: "" }), { strict: true });
    expect(await failure(list(client))).toBeInstanceOf(InvalidResponseError);
  });

  test("is empty if it was declared and is unknown, and that is reported once", async () => {
    const unknown = () => {
      throw new RpcError(-32601, "Method not found");
    };
    const { client, problems } = await open(method, unknown);
    expect(await list(client)).toEqual([]);
    expect(await list(client)).toEqual([]);
    expect(problems).toMatchObject([{ code: "invalid-response", cause: { wireCode: -32601 } }]);
    const { client: strict } = await open(method, unknown, { strict: true });
    expect(await failure(list(strict))).toBeInstanceOf(InvalidResponseError);
  });

  test("has no more than 64 Mi characters, however many pages they are on", async () => {
    const pad = "x".repeat(17 * 1024 * 1024);
    const answer: Answer = ({ cursor = "0" }) => ({
      [key]: [],
      nextCursor: `${Number(cursor) + 1}`,
      _meta: { pad },
    });
    const { client, requests } = await open(method, answer);
    expect(await failure(list(client))).toMatchObject({
      code: "invalid-response",
      message: `${method} has more than 67108864 characters on all its pages.`,
    });
    expect(requests()).toHaveLength(4);
  });

  test("takes no longer than its total time, however many pages come in time", async () => {
    vi.useFakeTimers();
    let sendPage = () => {};
    const answer: Answer = ({ cursor = "0" }, line, { id }) => {
      sendPage = () => line.send({ id, result: { [key]: [], nextCursor: `${Number(cursor) + 1}` } });
      return silence;
    };
    const { client, requests } = await open(method, answer);
    const listed = failure(list(client, { timeout: { total: 2_000 } }));
    for (let page = 1; page <= 3; page++) {
      await vi.advanceTimersByTimeAsync(600);
      sendPage();
    }
    await vi.advanceTimersByTimeAsync(200);
    expect(await listed).toMatchObject({ code: "timeout", limit: "total", ms: 2_000 });
    expect(requests()).toHaveLength(4);
  });

  test("is refused unread when it has a million bad items", async () => {
    const { client, problems } = await open(method, () => ({ [key]: Array(1_000_000).fill(0) }));
    expect(await failure(list(client))).toMatchObject({ message: `${method} has more than 10000 items.` });
    expect(problems).toEqual([]);
  });

  test("is refused at once when it has many items and one that is nested too deep", async () => {
    const items = [...Array(200_000).fill({}), nested(200)];
    const { client, problems } = await open(method, () => ({ [key]: items }));
    const before = process.cpuUsage();
    expect(await failure(list(client))).toMatchObject({ message: `${method} has more than 10000 items.` });
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
    expect(problems).toEqual([]);
  });

  test("leaves nothing of a page that is nested too deep in a report or an error", async () => {
    const pages = [{ [key]: [item, nested(200)] }, { [key]: nested(200) }];
    const { client, problems } = await open(method, () => pages.shift());
    expect(await list(client)).toHaveLength(1);
    expect(problems).toMatchObject([{ code: "invalid-response" }]);
    const error = await failure(list(client));
    expect(error.message).toContain("nested deeper than 128 levels");
    expect([...problems, error].map(({ cause }) => cause)).toEqual([undefined, undefined]);
  });

  test("is not in the error of a raw request for it when it is nested too deep", async () => {
    const { client, problems } = await open(method, () => ({ [key]: [item, nested(200)] }));
    const error = await failure(client.request(method));
    expect(error.message).toContain("nested deeper than 128 levels");
    expect([error.cause, problems]).toEqual([undefined, []]);
  });

  test("is reported once for ten thousand bad items", async () => {
    const { client, problems } = await open(method, () => ({ [key]: Array(10_000).fill(0) }));
    expect(await list(client)).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(/^Left out 10000 of 10000: .*; and 9997 more\.$/);
  });

  test("is reported in a short text, whatever the names of bad items are", async () => {
    const long = "x".repeat(1_000_000);
    const bad = [long, { [long]: long }, [long]].map((name) => ({ name, arguments: 5 }));
    const { client, problems } = await open(method, () => ({ [key]: bad }));
    expect(await list(client)).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(/^Left out 3 of 3: .{1,500}$/);
  });
});

test("tasks/list that was not declared is refused with the server's own error", async () => {
  const server = handshakeServer("2025-11-25", { capabilities: { tools: {}, tasks: {} } });
  const client = await openClient(server);
  expect(await failure(client.tasks.list().all())).toMatchObject({ wireCode: -32601 });
});

test("a result that is nested too deep is not in the error of its call", async () => {
  const { client } = await open("tools/call", () => ({ content: [], structuredContent: nested(200) }));
  const error = await failure(client.tools.call("a"));
  expect(error.message).toContain("nested deeper than 128 levels");
  expect(error.cause).toBe(undefined);
});

describe("a result with too many items", () => {
  const bad = Array(1_000_000).fill(0);

  test.each<[string, object, (client: Client) => Promise<unknown>]>([
    ["tools/call", { content: bad }, (client) => client.tools.call("a")],
    ["resources/read", { contents: bad }, (client) => client.resources.read("a:b")],
    ["prompts/get", { messages: bad }, (client) => client.prompts.get("a")],
  ])("of %s is refused unread", async (method, result, send) => {
    const { client, problems } = await open(method, () => result);
    expect(await failure(send(client))).toBeInstanceOf(InvalidResponseError);
    expect(problems).toEqual([]);
  });
});

describe("a call over HTTP that needs the list of tools", () => {
  async function openAlone(list: (cursor: string | undefined) => object | undefined, timeout = {}) {
    const server = await ScriptedHttp.start(
      aloneScript({
        "tools/list": (visit) => {
          const page = list(visit.body.params.cursor);
          if (page) visit.result({ resultType: "complete", ...page });
        },
        "tools/call": (visit) => visit.result(done),
      }),
    );
    return { server, ...(await openHttp(server, { timeout })) };
  }

  test("asks for it twice when its cursor is empty for ever, and is sent then", async () => {
    const { server, client, problems } = await openAlone(() => ({ tools: [], nextCursor: "" }));
    await client.tools.call("a");
    expect(server.of("tools/list").map(({ body }) => body.params.cursor)).toEqual([undefined, ""]);
    expect(server.of("tools/call")).toHaveLength(1);
    expect(problems).toMatchObject([{ code: "invalid-response" }]);
  });

  test("ends with its own total time when the list never comes, and the list is given up", async () => {
    const { server, client } = await openAlone(() => undefined);
    const error = await failure(client.tools.call("a", {}, { timeout: { total: 100 } }));
    expect(error).toMatchObject({ code: "timeout", limit: "total", ms: 100 });
    expect(error.message).toContain("tools/call");
    const [list] = server.of("tools/list");
    await list?.gone;
    expect(server.of("tools/call")).toEqual([]);
  });

  test("ends with its own total time when the list has ever more pages", async () => {
    let pages = 0;
    const { server, client } = await openAlone(() => ({ tools: [], nextCursor: `${++pages}` }));
    const error = await failure(client.tools.call("a", {}, { timeout: { total: 100 } }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(pages).toBeLessThan(1_000);
    expect(server.of("tools/call")).toEqual([]);
  });

  test("does not end the list for another call that still waits", async () => {
    let answer = () => {};
    const server = await ScriptedHttp.start(
      aloneScript({
        "tools/list": (visit) => {
          answer = () => visit.result({ resultType: "complete", tools: [] });
        },
        "tools/call": (visit) => visit.result(done),
      }),
    );
    const { client } = await openHttp(server);
    const patient = client.tools.call("a");
    expect(await failure(client.tools.call("b", {}, { timeout: { total: 50 } }))).toBeInstanceOf(
      TimeoutError,
    );
    answer();
    expect(await patient).toMatchObject(done);
    expect(server.of("tools/list")).toHaveLength(1);
  });

  test("is reported once for ten thousand tools with bad header marks", async () => {
    const marked = tool("bad", { inputSchema: { type: "object", "x-mcp-header": "X" } });
    const { client, problems } = await openAlone(() => ({ tools: Array(10_000).fill(marked) }));
    await client.tools.call("a");
    expect(problems).toHaveLength(1);
  });

  test("keeps the headers of a tool after a change, when the list can't be read again", async () => {
    let isBroken = false;
    const listed = tool("a", {
      inputSchema: { type: "object", properties: { r: { type: "string", "x-mcp-header": "Region" } } },
    });
    const server = await ScriptedHttp.start(
      aloneScript({
        "tools/list": (visit) =>
          isBroken
            ? visit.error(-32603, "Broken")
            : visit.result({ resultType: "complete", tools: [listed] }),
        "tools/call": (visit) => {
          isBroken = true;
          visit.stream().event({ method: "notifications/tools/list_changed" });
          visit.finish(done);
        },
      }),
    );
    const { client } = await openHttp(server);
    for (let call = 0; call < 2; call++) await client.tools.call("a", { r: "north" });
    expect(server.of("tools/list")).toHaveLength(2);
    expect(server.of("tools/call").map(({ headers }) => headers["mcp-param-region"])).toEqual([
      "north",
      "north",
    ]);
  });
});

test("a call of a pinned tool ends with its own total time when the list never comes", async () => {
  vi.useFakeTimers();
  const server = discoverServer({ script: { "tools/list": () => silence } });
  const client = await openClient(server, { pin: pinTools({ store: new Map() }) });
  const called = failure(client.tools.call("a", {}, { timeout: { total: 2_000 } }));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await called).toMatchObject({ code: "timeout", limit: "total", ms: 2_000 });
  expect(server.line.methods()).toContain("notifications/cancelled");
});

test("rounds take no longer together than the total time of their call", async () => {
  vi.useFakeTimers();
  let ask = () => {};
  const answer: Answer = (_, line, { id }) => {
    ask = () => line.send({ id, result: { resultType: "input_required", requestState: "again" } });
    return silence;
  };
  const server = discoverServer({ script: { "tools/call": answer } });
  const client = await openClient(server);
  // Fake time does not wait for a part that is loaded with its first use.
  await import("../../src/client/input-rounds.ts");
  const called = failure(client.tools.call("a", {}, { timeout: { total: 2_000 } }));
  for (let round = 1; round <= 3; round++) {
    await vi.advanceTimersByTimeAsync(600);
    ask();
  }
  await vi.advanceTimersByTimeAsync(200);
  expect(await called).toMatchObject({ code: "timeout", limit: "total", ms: 2_000 });
  expect(server.line.paramsOf("tools/call")).toHaveLength(4);
});
