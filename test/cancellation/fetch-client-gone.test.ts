import { createFetchHandler } from "allspeak/http";
import { expect, it } from "vitest";
import { createFixture } from "../support/http/fixture.ts";
import { toNewest } from "../support/http/stateless-request.ts";

it("the fetch handler does not keep its platform waiting when the client is gone", async () => {
  const { server, started, aborted } = createFixture();
  const handle = createFetchHandler(server);
  const { body, headers } = toNewest("tools/call", { name: "wait", arguments: { name: "gone" } });
  const controller = new AbortController();
  const response = handle(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: headers as Record<string, string>,
      body: JSON.stringify(body),
      signal: controller.signal,
    }),
  );
  await started.next();
  controller.abort();
  expect(await aborted.next()).toBe("gone");
  expect((await response).status).toBe(499);
  await handle.close(0);
});
