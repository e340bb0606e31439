import { expect, it } from "vitest";
import { describeRevisions } from "../matrix/revisions.ts";

const serverInfo = "io.modelcontextprotocol/serverInfo";

describeRevisions("tools", ({ open, since }) => {
  it("lists tools in the order of their registration, each with a schema of its arguments", async () => {
    const { client } = await open();
    const tools = await client.tools.list().all();
    expect(tools.slice(0, 3).map(({ name }) => name)).toEqual(["echo", "nothing", "plain-object"]);
    expect(tools[0]).toEqual({
      name: "echo",
      description: "Says it again",
      inputSchema: {
        type: "object",
        properties: { text: { type: "string", description: "What to say" } },
        required: ["text"],
      },
    });
  });

  it("puts nothing into a result that the revision does not know", async () => {
    const { client, wire } = await open();
    await client.tools.call("echo", { text: "hello" });
    const content = [{ type: "text", text: "hello" }];
    expect(wire.result("tools/call")).toEqual(
      since<unknown>({
        "2024-11-05": { content },
        "2026-07-28": {
          content,
          resultType: "complete",
          _meta: { [serverInfo]: expect.objectContaining({ name: "fixture", version: "1.2.3" }) },
        },
      }),
    );
  });

  it("calls a tool without an arguments member", async () => {
    const { client, wire } = await open();
    await client.request("tools/call", { name: "nothing" });
    expect(wire.lastSent("tools/call").params).not.toHaveProperty("arguments");
    expect(wire.result("tools/call").content).toEqual([]);
  });

  it("makes text of an object that no schema was promised for", async () => {
    const { client } = await open();
    const result = await client.tools.call("plain-object");
    expect(result.content).toEqual([{ type: "text", text: '{"colour":"red"}' }]);
    expect(result.structuredContent).toBeUndefined();
  });

  it("passes a whole result through", async () => {
    const { client } = await open();
    expect(await client.tools.call("full-result")).toMatchObject({
      content: [{ type: "text", text: "no" }],
      isError: true,
      _meta: { "example.com/why": "because" },
    });
  });

  it("refuses an unknown tool as invalid params", async () => {
    const { client, wire } = await open();
    await expect(client.tools.call("ecko")).rejects.toMatchObject({ code: "rpc", wireCode: -32602 });
    expect(wire.error("tools/call")).toEqual({ code: -32602, message: "Unknown tool: ecko" });
  });
});
