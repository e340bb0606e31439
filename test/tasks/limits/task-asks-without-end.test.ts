import { expect, test } from "vitest";
import { failure, openClient } from "../../support/open-client.ts";
import { discoverServer } from "../../support/scripted-server.ts";

const extension = "io.modelcontextprotocol/tasks";

test("a task that asks again and again is given up, and cancelled", async () => {
  let asks = 0;
  const task = { taskId: "t", createdAt: "", lastUpdatedAt: "", ttlMs: null, pollIntervalMs: 0 };
  const places = () => Array.from({ length: 60 }, () => [`ask-${++asks}`, { method: "roots/list" }]);
  const server = discoverServer({
    capabilities: { tools: {}, extensions: { [extension]: {} } },
    script: {
      "tools/call": () => ({ ...task, resultType: "task", status: "working" }),
      "tasks/get": () => ({ ...task, status: "input_required", inputRequests: Object.fromEntries(places()) }),
      "tasks/update": () => ({}),
      "tasks/cancel": () => ({}),
    },
  });
  const client = await openClient(server, { tasks: true, roots: [] });
  const error = await failure(client.tools.call("endless"));
  expect(error).toMatchObject({
    code: "invalid-response",
    message: "The task asks more than 1024 questions.",
  });
  await server.line.saw("tasks/cancel");
});
