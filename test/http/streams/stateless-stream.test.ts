import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";

describe.each(entries)("$name without sessions", (entry) => {
  it("invites nobody to come back to a stream, and lets go of none", async () => {
    const { server, started, release } = createFixture();
    const { url } = await open(entry, server, { sessions: { stateless: true } });
    const params = { name: "wait", arguments: { name: "stays", talk: true, leave: true } };
    const answer = await exchange(url, {
      headers: { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" },
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { ...params, _meta: { progressToken: 1 } },
      },
    });
    await started.next();
    release("stays");
    const events = await answer.events().rest();
    expect(events.map(({ id, retry }) => ({ id, retry }))).toEqual([{}, {}]);
    expect(JSON.parse(events[1]?.data ?? "")).toMatchObject({
      id: 1,
      result: { content: [{ text: "released stays" }] },
    });
  });
});
