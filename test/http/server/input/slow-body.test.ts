import { createFetchHandler } from "allspeak/http";
import { expect, it } from "vitest";
import { createFixture } from "../../../support/http/fixture.ts";

it("the fetch handler waits only so long for a body", async () => {
  const handle = createFetchHandler(createFixture().server, { bodyMs: 100 });
  const never = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(new Uint8Array([123])) });
  const response = await handle(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: never,
      duplex: "half",
    } as RequestInit),
  );
  expect(response.status).toBe(408);
  expect(await response.json()).toMatchObject({ error: { code: -32600 } });
  await handle.close(0);
});
