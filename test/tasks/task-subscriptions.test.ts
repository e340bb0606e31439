import { describe, expect, it } from "vitest";
import { alone, openRaw, type Wire } from "../support/raw-client.ts";
import { Gate, taskServer, withTasks } from "./fixture.ts";

describe("listening to tasks", () => {
  it("tells of those that are the caller's as they are, and of each change until their end", async () => {
    const gate = new Gate();
    const client = openRaw(taskServer(gate).server);
    const call = alone({ name: "long" }, withTasks);
    const { taskId } = await client.result("tools/call", call);
    await gate.reached;
    const notifications = { taskIds: [taskId, "unknown", taskId] };
    void client.ask("subscriptions/listen", alone({ notifications }, withTasks), "listening");
    const told = (status: string) =>
      client.until(
        ({ method, params }) => method === "notifications/tasks" && (params as Wire).status === status,
      );
    const first = await told("working");
    expect(client.heard.indexOf(first)).toBeGreaterThan(
      client.heard.findIndex(({ method }) => method === "notifications/subscriptions/acknowledged"),
    );
    const acknowledged = client.heard.find(
      ({ method }) => method === "notifications/subscriptions/acknowledged",
    );
    expect(acknowledged?.params).toMatchObject({ notifications: { taskIds: [taskId] } });
    gate.open();
    const { params } = await told("completed");
    const { resultType, ...task } = await client.result("tasks/get", alone({ taskId }, withTasks));
    expect(params).toEqual({
      ...task,
      _meta: { "io.modelcontextprotocol/subscriptionId": "listening" },
    });
    expect(client.heard.filter(({ method }) => method === "notifications/progress")).toEqual([]);
  });

  it("is for those who declare that they know tasks, and for so many at once", async () => {
    const client = openRaw(taskServer().server);
    const listen = async (ids: string[], capabilities: Wire) =>
      (await client.ask("subscriptions/listen", alone({ notifications: { taskIds: ids } }, capabilities)))
        .error;
    expect(await listen(["a"], {})).toMatchObject({ code: -32021 });
    const many = Array.from({ length: 101 }, (_, at) => `task ${at}`);
    expect(await listen(many, withTasks)).toMatchObject({ code: -32602 });
  });
});
