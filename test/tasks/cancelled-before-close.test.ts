import { createServer, tool } from "allspeak";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { Queue } from "../support/queue.ts";

describe.each(["2025-11-25", "2026-07-28"] as const)("a task of a client over HTTP (%s)", (revision) => {
  /** A client of a server with one tool, which runs as a task until it is cancelled. */
  async function open() {
    const started = new Queue<string>();
    const aborted = new Queue<string>();
    const job = tool("job", { task: "required" }, async (_, { signal }) => {
      started.push("job");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      aborted.push("job");
      throw signal.reason;
    });
    const running = await serveHttp(createServer({ name: "jobs", version: "1.0.0", tools: [job] }));
    onTestFinished(() => running.close(0));
    const client = await connect(running.url, { revisions: [revision], tasks: true });
    onTestFinished(() => client.close());
    return { client, started, aborted };
  }

  test("is cancelled with its call, though the client closes at once", async () => {
    const { client, started, aborted } = await open();
    const abort = new AbortController();
    const known = new Queue<string>();
    const call = client.tools.call("job", {}, { signal: abort.signal, onTask: () => known.push("task") });
    await Promise.all([started.next(), known.next()]);
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    await client.close();
    expect(await aborted.next()).toBe("job");
  });
});
