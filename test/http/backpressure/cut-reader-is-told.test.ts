import { createServer, tool } from "allspeak";
import { createFetchHandler } from "allspeak/http";
import { expect, it } from "vitest";
import { toNewest } from "../../support/http/stateless-request.ts";

it("the fetch handler aborts the call of a reader that it cuts", async () => {
  let settle: (reason: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const flood = tool("flood", {}, async (_, ctx) => {
    ctx.signal.addEventListener("abort", () => settle("aborted"));
    while (!ctx.signal.aborted) await ctx.log("info", "x".repeat(100_000));
    return "done";
  });
  const server = createServer({ name: "flood", version: "1", tools: [flood] });
  const handle = createFetchHandler(server, { stallMs: 200 });
  const { body, headers } = toNewest(
    "tools/call",
    { name: "flood" },
    { meta: { "io.modelcontextprotocol/logLevel": "info" } },
  );
  const response = await handle(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: headers as Record<string, string>,
      body: JSON.stringify(body),
    }),
  );
  expect(response.status).toBe(200);
  expect(await ended).toBe("aborted");
  await expect(response.text()).rejects.toThrow();
  await handle.close(0);
});
