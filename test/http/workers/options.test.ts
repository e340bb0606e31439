import { createServer, UsageError } from "allspeak";
import { serveHttp } from "allspeak/node";
import { expect, it } from "vitest";

it.each([0, 1.5, 1_025, -1, "2", Number.NaN])("%s is refused as a number of workers", async (workers) => {
  const server = createServer({ name: "workers", version: "1.0.0" });
  const serving = serveHttp(server, { workers: workers as number });
  await expect(serving).rejects.toThrow(UsageError);
  await expect(serving).rejects.toThrow(/the option "workers" (?:takes a whole number|must be a number)/);
});

it("other options are checked before a worker is started", async () => {
  const server = createServer({ name: "workers", version: "1.0.0" });
  await expect(serveHttp(server, { workers: 2, host: "0.0.0.0" })).rejects.toThrow(
    "set publicUrl or allowedHosts",
  );
});
