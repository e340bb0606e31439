import { createServer, tool } from "allspeak";
import { connect, pinTools } from "allspeak/client";
import { expect, it, onTestFinished } from "vitest";

it("a tool on a page that was not read again can be called all the same", async () => {
  const names = Array.from({ length: 250 }, (_, at) => `tool-${at}`);
  const tools = names.map((name) => tool(name, {}, () => name));
  const server = createServer({ name: "many", version: "1.0.0", tools, pageSize: 100 });
  const client = await connect(server, { pin: pinTools({ store: new Map() }), serverId: "many" });
  onTestFinished(() => client.close());
  expect(await client.tools.list().all()).toHaveLength(names.length);
  for await (const { name } of client.tools.list({ fresh: true })) {
    expect(name).toBe("tool-0");
    break;
  }
  expect(await client.tools.call("tool-249")).toMatchObject({ content: [{ text: "tool-249" }] });
});
