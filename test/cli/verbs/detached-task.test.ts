// A task that one command starts, and others follow.
import { createServer, image, text, tool } from "allspeak";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { runCommand } from "../support/run-command.ts";

async function serve() {
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const work = tool("work", { task: "required" }, async () => {
    await finished;
    return "the result";
  });
  const remove = tool("remove", { task: "required", pollIntervalMs: 10 }, async (_args, ctx) => {
    const sure = await ctx.elicit("sure", "Remove it?", z.object({ confirm: z.boolean() }));
    return sure.content?.confirm ? "removed" : "kept";
  });
  const plain = tool("plain", {}, () => "at once");
  const picture = tool("picture", {}, () => [text("a dot"), image(new Uint8Array([1]), "image/png")]);
  const server = createServer({
    name: "worker",
    version: "1",
    log: () => {},
    tools: [work, remove, plain, picture],
  });
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
    const cancelled = await runCommand(["tasks", url, "cancel", taskId, ...on]);
    expect([cancelled.code, cancelled.stdout]).toEqual([0, expect.stringContaining(`${taskId} cancelled`)]);
    expect((await runCommand(["tasks", url, "get", taskId, ...on])).stdout).toContain("cancelled");
  });

  test("tasks result answers a question of the task with --answer", async () => {
    const { url } = await serve();
    const id = (await runCommand(["call", url, "remove", "--detach", ...on])).stdout.trim();
    const line = ["tasks", url, "result", id, "--answer", "confirm=true", "--answer", "when=now", ...on];
    const { code, stdout, stderr } = await runCommand(line);
    expect([code, stdout]).toEqual([0, "removed\n"]);
    expect(stderr).toContain("No question took the answer when=now.");
  });

  test("tasks result says which answers do not fit the question", async () => {
    const { url } = await serve();
    const id = (await runCommand(["call", url, "remove", "--detach", ...on])).stdout.trim();
    const line = ["tasks", url, "result", id, "--answer", "confirm=perhaps", ...on];
    const { code, stderr } = await runCommand(line);
    expect(stderr).toContain('The answers do not fit the question "Remove it?"');
    expect(code).toBe(2);
    const again = await runCommand(["tasks", url, "result", id, "--answer", "confirm=true", ...on]);
    expect([again.code, again.stdout]).toEqual([0, "removed\n"]);
  });

  test("a task waits for the --answer that tasks result names", async () => {
    const { url } = await serve();
    const id = (await runCommand(["call", url, "remove", "--detach", ...on])).stdout.trim();
    const asked = await runCommand(["tasks", url, "result", id, ...on]);
    expect(asked.stderr).toContain("Answer it with: --answer confirm=<boolean>");
    expect(asked.stderr).toContain("The question stays open");
    expect(asked.code).toBe(6);
    const { code, stdout } = await runCommand([
      "tasks",
      url,
      "result",
      id,
      "--answer",
      "confirm=true",
      ...on,
    ]);
    expect([code, stdout]).toEqual([0, "removed\n"]);
  });

  test("call --detach shows the result of a tool that is no task, and says so", async () => {
    const { url } = await serve();
    const { code, stdout, stderr } = await runCommand(["call", url, "plain", "--detach", ...on]);
    expect([code, stdout]).toEqual([0, "at once\n"]);
    expect(stderr).toContain("answered at once");
  });

  test("call --detach tells of parts that it does not show", async () => {
    const { url } = await serve();
    const { stdout, stderr } = await runCommand(["call", url, "picture", "--detach", ...on]);
    expect(stdout).toBe("a dot\n");
    expect(stderr).toContain("1 of its parts are not text; --json shows them.");
  });

  test("tasks refuses an --answer where it asks nothing", async () => {
    const { url } = await serve();
    const { code, stderr } = await runCommand(["tasks", url, "get", "1", "--answer", "confirm=true", ...on]);
    expect(stderr).toContain("--answer is for tasks result and wait.");
    expect(code).toBe(2);
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

test("call --detach refuses a server that ends with the command", async () => {
  const { code, stdout, stderr } = await runCommand(["call", "./asking.mjs", "visit", "--detach"]);
  expect(stderr).toContain("--detach needs a server that goes on without this command");
  expect([code, stdout]).toEqual([2, ""]);
});
