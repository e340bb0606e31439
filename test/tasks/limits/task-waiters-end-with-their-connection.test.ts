import { createServer, tool } from "allspeak";
import { connect } from "allspeak/client";
import { expect, it } from "vitest";

function createSlow() {
  const ends: (() => void)[] = [];
  const end = () => {
    for (const each of ends.splice(0)) each();
  };
  const server = createServer({
    name: "s",
    version: "1",
    tools: [
      tool("slow", { task: "optional", pollIntervalMs: 60_000 }, async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        return "done";
      }),
    ],
  });
  return { server, end };
}

it("a call that waits for a task is rejected when its client closes, however long the poll interval is", async () => {
  const { server, end } = createSlow();
  const client = await connect(server, { tasks: true });
  let call: Promise<unknown> | undefined;
  await new Promise<void>((resolve) => {
    call = client.tools.call("slow", {}, { onTask: () => resolve() });
    call.catch(() => {});
  });
  await client.close();
  await expect(call).rejects.toMatchObject({ code: "connection-closed" });
  end();
});

it("who stops waiting for a task that was resumed does not cancel it", async () => {
  const { server, end } = createSlow();
  await using client = await connect(server, { tasks: true });
  const id = await new Promise<string>((resolve) => {
    client.tools.call("slow", {}, { onTask: ({ taskId }) => resolve(taskId) }).catch(() => {});
  });
  await expect(client.tasks.resume(id, { timeout: { total: 20 } })).rejects.toMatchObject({
    code: "timeout",
  });
  expect((await client.tasks.get(id)).status).toBe("working");
  end();
});
