import { createServer } from "allspeak";
import { expect, it } from "vitest";
import { alone, openRaw } from "../support/raw-client.ts";

it("a listener with many resources leaves turns to other work while they are checked", async () => {
  const server = createServer({ name: "notes", version: "1", log: () => {} });
  let turn = 0;
  const checks: number[] = [];
  const enabled = () => {
    checks[turn] = (checks[turn] ?? 0) + 1;
    return true;
  };
  server.resource("note:///{name}", { enabled }, () => "text");
  const client = openRaw(server);
  const resourceSubscriptions = Array.from({ length: 1_000 }, (_, at) => `note:///${at}`);
  let isDone = false;
  void client
    .until(({ method }) => method === "notifications/subscriptions/acknowledged")
    .then(() => {
      isDone = true;
    });
  void client.ask("subscriptions/listen", alone({ notifications: { resourceSubscriptions } }), "listen");
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    turn++;
  }
  expect(checks.reduce((sum, count) => sum + count, 0)).toBe(1_000);
  expect(Math.max(...checks.filter(Boolean))).toBeLessThanOrEqual(64);
});
