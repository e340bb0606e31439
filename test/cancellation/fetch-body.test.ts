import { createFetchHandler } from "allspeak/http";
import { expect, it, onTestFinished } from "vitest";
import { createFixture } from "../support/http/fixture.ts";
import { toNewest } from "../support/http/stateless-request.ts";

it("a call of a fetch handler is cancelled when the body of its response is", async () => {
  const { server, started, aborted, idle } = createFixture();
  const handle = createFetchHandler(server);
  onTestFinished(() => handle.close(0));
  const params = { name: "wait", arguments: { name: "unread", talk: true } };
  const { body, headers } = toNewest("tools/call", params, { meta: { progressToken: 1 } });
  const given = Object.entries(headers).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  const response = await handle(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: Object.fromEntries(given),
      body: JSON.stringify(body),
    }),
  );
  await started.next();
  await response.body?.cancel();
  expect(await aborted.next()).toBe("unread");
  await idle();
});
