import { describe, expect, test } from "vitest";
import type { ConnectOptions } from "../../src/client.ts";
import { InvalidOutputError, InvalidResponseError } from "../../src/errors.ts";
import { failure, openClient } from "../support/open-client.ts";
import { discoverServer, type Wire } from "../support/scripted-server.ts";

const outputSchema = { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] };
const weather = { name: "weather", inputSchema: { type: "object" }, outputSchema };
const warm = { content: [], structuredContent: { celsius: 20 } };
const cold = { content: [], structuredContent: { celsius: "cold" } };

function weatherServer(result: Wire, tools: object[] = [weather]) {
  return discoverServer({ script: { "tools/list": () => ({ tools }), "tools/call": () => result } });
}

async function callListed(result: Wire, options: ConnectOptions = {}, tools?: object[]) {
  const server = weatherServer(result, tools);
  const client = await openClient(server, options);
  await client.tools.list().all();
  return { server, client, call: client.tools.call("weather") };
}

describe("the result of a tool", () => {
  test("comes as it is, with what nobody here knows", async () => {
    const result = {
      content: [
        { type: "text", text: "hi", "x-tone": "warm" },
        { type: "hologram", data: [1, 2, 3] },
      ],
      isError: true,
      "x-cost": 7,
    };
    const client = await openClient(weatherServer(result));
    expect(await client.tools.call("weather")).toEqual(result);
  });

  test("loses invalid content, which is reported", async () => {
    const problems: string[] = [];
    const server = weatherServer({ content: [{ type: "text" }, { type: "text", text: "hi" }, null] });
    const client = await openClient(server, { onProblem: ({ message }) => problems.push(message) });
    expect(await client.tools.call("weather")).toEqual({ content: [{ type: "text", text: "hi" }] });
    expect(problems).toEqual([
      "Left out 2 of 3: tools/call: content[0].text must be a string; [2] must be an object.",
    ]);
  });

  test("with invalid content is refused when strict", async () => {
    const client = await openClient(weatherServer({ content: [{ type: "text" }] }), { strict: true });
    expect(await failure(client.tools.call("weather"))).toBeInstanceOf(InvalidResponseError);
  });

  test("may have structure only", async () => {
    const client = await openClient(weatherServer({ structuredContent: { celsius: 1 } }));
    expect(await client.tools.call("weather")).toEqual({ content: [], structuredContent: { celsius: 1 } });
  });

  test.each([{}, { content: "text" }])("is refused when it is %j", async (result) => {
    const client = await openClient(weatherServer(result));
    expect(await failure(client.tools.call("weather"))).toBeInstanceOf(InvalidResponseError);
  });
});

describe("a structured result", () => {
  test("that fits the tool's schema passes", async () => {
    const { call } = await callListed(warm);
    expect((await call).structuredContent).toEqual({ celsius: 20 });
  });

  test("that does not fit is refused, and says where", async () => {
    const { call } = await callListed(cold);
    const error = await failure(call);
    expect(error).toBeInstanceOf(InvalidOutputError);
    expect(error.message).toContain("celsius");
  });

  test("that is missing is refused", async () => {
    const { call } = await callListed({ content: [{ type: "text", text: "20" }] });
    expect(await failure(call)).toBeInstanceOf(InvalidOutputError);
  });

  test("of a tool that failed is not checked", async () => {
    const { call } = await callListed({ content: [{ type: "text", text: "no station" }], isError: true });
    expect(await call).toMatchObject({ isError: true });
  });

  test("of a tool that was never listed is not checked, and nothing is listed for it", async () => {
    const server = weatherServer(cold);
    const client = await openClient(server);
    expect(await client.tools.call("weather")).toEqual(cold);
    expect(server.line.methods()).not.toContain("tools/list");
  });

  test("is checked after a change of the list too, until the tool is listed again", async () => {
    let listed: Wire = weather;
    const server = discoverServer({
      script: { "tools/list": () => ({ tools: [listed] }), "tools/call": () => cold },
    });
    const client = await openClient(server);
    await client.tools.list().all();
    server.line.notify("notifications/tools/list_changed");
    await client.ping();
    expect(await failure(client.tools.call("weather"))).toBeInstanceOf(InvalidOutputError);
    listed = { name: "weather", inputSchema: weather.inputSchema };
    await client.tools.list().all();
    expect(await client.tools.call("weather")).toEqual(cold);
  });

  test("is not checked when the host does not want it", async () => {
    const { call } = await callListed(cold, { checkOutput: false });
    expect(await call).toEqual(cold);
  });

  test.each<[string, object]>([
    [
      "fetches something",
      { type: "object", properties: { a: { $ref: "https://evil.example/schema.json" } } },
    ],
    ["is too deep", JSON.parse(`${'{"not":'.repeat(100)}{}${"}".repeat(100)}`)],
    ["loops", { $ref: "#" }],
  ])("of a tool whose schema %s never comes to be: the tool is not called", async (_, hostile) => {
    const tools = [{ ...weather, outputSchema: hostile }];
    const { server, call } = await callListed(warm, {}, tools);
    const error = await failure(call);
    expect(error).toBeInstanceOf(InvalidOutputError);
    expect(error.cause).toMatchObject({ code: "schema-refused" });
    expect(server.line.methods()).not.toContain("tools/call");
  });

  test("of a tool whose schema is refused comes when the host insists", async () => {
    const tools = [{ ...weather, outputSchema: { $ref: "https://evil.example/schema.json" } }];
    const { call } = await callListed(warm, { checkOutput: false }, tools);
    expect(await call).toEqual(warm);
  });

  test("may be of any kind, and its pattern is matched in linear time", async () => {
    const schema = { type: "array", items: { type: "string", pattern: "^(a+)+$" } };
    const result = { content: [], structuredContent: [`${"a".repeat(40)}!`] };
    const { call } = await callListed(result, {}, [{ ...weather, outputSchema: schema }]);
    expect(await failure(call)).toBeInstanceOf(InvalidOutputError);
  });
});
