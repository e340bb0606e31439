import { createServer } from "allspeak";
import { describe, expect, it } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { createFixture } from "../support/http/fixture.ts";
import { openSession } from "../support/http/raw-session.ts";
import { Queue } from "../support/queue.ts";
import { openRaw } from "../support/raw-client.ts";

describe("a call that the oldest clients cancel, without the prefix of notifications", () => {
  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const)(
    "is aborted on a pipe, in %s",
    async (revision) => {
      const [started, aborted] = [new Queue<string>(), new Queue<string>()];
      const server = createServer({ name: "s", version: "1" });
      server.tool("wait", {}, (_, ctx) => {
        ctx.signal.addEventListener("abort", () => aborted.push("aborted"));
        started.push("started");
        return new Promise<string>(() => {});
      });
      const client = openRaw(server);
      await client.initialize(revision);
      client.say({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "wait" } });
      await started.next();
      client.notify("cancelled", { requestId: 7 });
      expect(await aborted.next()).toBe("aborted");
    },
  );

  it.each(entries)("is aborted over HTTP ($name)", async (entry) => {
    const { server, started, aborted } = createFixture();
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-03-26");
    const call = session.call("wait", { name: "held" }, { id: 7 });
    await started.next();
    expect((await session.notify("cancelled", { requestId: 7 })).status).toBe(202);
    expect(await aborted.next()).toBe("held");
    expect((await call).status).toBe(202);
  });
});
