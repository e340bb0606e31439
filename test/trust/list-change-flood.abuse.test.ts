import { createServer } from "allspeak";
import { connect, pinTools } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";

describe("a flood of tools/list_changed", () => {
  it.each(["2025-11-25", "2026-07-28"] as const)(
    "of 10,000 brings at most one list a second, in %s",
    async (revision) => {
      let lists = 0;
      const server = createServer({ name: "flooding", version: "1.0.0" });
      server.use((call, next) => {
        if (call.method === "tools/list") lists++;
        return next();
      });
      server.tool("work", "Works", () => "done");
      const running = await serveHttp(server);
      onTestFinished(() => running.close(0));
      const client = await connect(running.url, {
        revisions: [revision],
        hints: new Map(),
        pin: pinTools({ store: new Map() }),
      });
      onTestFinished(() => client.close());
      const startedAt = performance.now();
      let relisted = Promise.resolve<unknown>(undefined);
      await client.subscribe({ tools: true }, () => {
        relisted = client.tools.list().all();
      });
      await client.tools.call("work");
      let heard = 0;
      let hearAll: () => void = () => {};
      const some = new Promise<void>((resolve) => {
        hearAll = resolve;
      });
      client.onNotification((method) => {
        if (method === "notifications/tools/list_changed" && ++heard === 100) hearAll();
      });
      const flood = (async () => {
        for (let n = 0; n < 10_000; n++) {
          server.tool(`t${n}`, "", () => "").remove();
          if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      const calls = (async () => {
        for (let n = 0; n < 50; n++) await client.tools.call("work");
      })();
      await Promise.all([flood, calls, some]);
      await relisted;
      const seconds = (performance.now() - startedAt) / 1000;
      // One a second each by the listener, the pins and the headers, and a few at first.
      expect(lists).toBeLessThanOrEqual(3 * (Math.ceil(seconds) + 2));
    },
  );
});
