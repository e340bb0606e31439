import { createServer, tool } from "allspeak";
import type { HttpOptions } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { openSession, type RawSession } from "../../support/http/raw-session.ts";
import { askNewest } from "../../support/http/stateless-request.ts";
import { hasNats, openState } from "./support.ts";

const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };

const identify: NonNullable<HttpOptions["identify"]> = (request) => {
  const subject = request.header("x-user");
  return subject === undefined ? undefined : { issuer: "test", subject };
};

async function serve() {
  const [entry] = entries;
  if (entry === undefined) throw new Error("There is no way to serve.");
  const tools = [tool("slow", { task: "optional" }, () => "done")];
  const server = createServer({ name: "s", version: "1", log: () => {}, tools });
  const { url } = await open(entry, server, { state: openState(), identify });
  return { url, session: await openSession(url, "2025-11-25") };
}

describe.skipIf(!hasNats)("the id of a task that is too long for the store", () => {
  it("is answered as any other that is unknown", async () => {
    const { session } = await serve();
    const errorOf = async (taskId: string) => {
      const { error } = await (await session.ask("tasks/get", { taskId })).result();
      return error;
    };
    const error = await errorOf("x".repeat(1_200_000));
    expect(error).toMatchObject({ code: -32602 });
    expect(error).toEqual(await errorOf("unknown"));
  });

  it("takes the store from nobody else", async () => {
    const { url, session } = await serve();
    const taskIds = ["1", "2", "3", "4"].map((end) => "x".repeat(900_000) + end);
    const listening = await askNewest(
      url,
      "subscriptions/listen",
      { notifications: { taskIds } },
      { capabilities },
    );
    expect((await session.ask("ping")).status).toBe(200);
    expect(await listening.events().message()).toMatchObject({ params: { notifications: { taskIds: [] } } });
    listening.cut();
  });
});

describe.skipIf(!hasNats)("a caller whose name is longer than a subject of the store may be", () => {
  it("has sessions and tasks of its own, and takes the store from nobody", async () => {
    const { url, session } = await serve();
    const as = (end: string) =>
      openSession(url, "2025-11-25", { headers: { "x-user": "x".repeat(6_000) + end } });
    const [own, other] = [await as("a"), await as("b")];
    const started = await own.ask("tools/call", { name: "slow", arguments: {}, task: {} });
    const { taskId } = (await started.result()).result.task;
    const listOf = async (caller: RawSession) =>
      (await (await caller.ask("tasks/list")).result()).result.tasks;
    expect(await listOf(own)).toMatchObject([{ taskId }]);
    expect(await listOf(other)).toEqual([]);
    const { result } = await (await own.ask("tasks/result", { taskId })).result();
    expect(result.content).toMatchObject([{ text: "done" }]);
    expect((await session.ask("ping")).status).toBe(200);
  });
});
