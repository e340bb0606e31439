// A task that one command starts, and others follow.
import { createServer, tool } from "allspeak";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCommand } from "./support/run-command.ts";

async function serve() {
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const work = tool("work", { task: "required" }, async () => {
    await finished;
    return "the result";
  });
  const plain = tool("plain", {}, () => "at once");
  const server = createServer({ name: "worker", version: "1", log: () => {}, tools: [work, plain] });
  const { url, close } = await serveHttp(server);
  onTestFinished(() => close(0));
  return { url, finish };
}

describe.each(["2025-11-25", "2026-07-28"])("in %s", (revision) => {
  const on = ["--revision", revision];

  test("call --detach prints the id of the task and leaves it running; tasks get and result find it", async () => {
    const { url, finish } = await serve();
    const started = await runCommand(["call", url, "work", "--detach", ...on]);
    expect(started.code).toBe(0);
    expect(started.stdout).toMatch(/^\S+\n$/);
    const id = started.stdout.trim();
    const running = await runCommand(["tasks", url, "get", id, ...on]);
    expect(running.stdout).toContain(`${id} working`);
    finish();
    const result = await runCommand(["tasks", url, "result", id, ...on]);
    expect([result.code, result.stdout]).toEqual([0, "the result\n"]);
  });

  test("tasks cancel ends it", async () => {
    const { url } = await serve();
    const { stdout } = await runCommand(["call", url, "work", "--detach", "--json", ...on]);
    const { taskId } = JSON.parse(stdout);
    expect((await runCommand(["tasks", url, "cancel", taskId, ...on])).code).toBe(0);
    expect((await runCommand(["tasks", url, "get", taskId, ...on])).stdout).toContain("cancelled");
  });

  test("call --detach shows the result of a tool that is no task, and says so", async () => {
    const { url } = await serve();
    const { code, stdout, stderr } = await runCommand(["call", url, "plain", "--detach", ...on]);
    expect([code, stdout]).toEqual([0, "at once\n"]);
    expect(stderr).toContain("answered at once");
  });

  test("tasks list says why there is no list", async () => {
    const { url } = await serve();
    const { code, stderr } = await runCommand(["tasks", url, ...on]);
    expect(stderr).toContain(
      revision === "2025-11-25" ? "Servers list tasks only to callers that they can identify" : "has no list",
    );
    expect(code).toBe(5);
  });
});
