import { createServer, tool } from "allspeak";
import { connect, UsageError } from "allspeak/client";
import { expect, it, onTestFinished } from "vitest";

it.each([
  { name: "shell", arguments: "rm -rf /" },
  { name: "shell", arguments: ["rm -rf /"] },
  { name: ["shell"], arguments: {} },
  { arguments: {} },
])("a raw call %j is not sent: the host could not be shown what it is", async (params) => {
  const asked: unknown[] = [];
  const sent: unknown[] = [];
  const server = createServer({ name: "s", version: "1.0.0", tools: [tool("shell", {}, () => "done")] });
  const consent = (call: unknown) => asked.push(call) > 0;
  const client = await connect(server, { consent });
  onTestFinished(() => client.close());
  client.use((call, next) => {
    sent.push(call.method);
    return next(call);
  });
  await expect(client.request("tools/call", params)).rejects.toThrow(UsageError);
  expect(asked).toEqual([]);
  expect(sent).toEqual([]);
});
