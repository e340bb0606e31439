import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";

describe.each(entries)("$name", (entry) => {
  it("refuses on the message endpoint of HTTP+SSE what is no message", async () => {
    const { origin } = await open(entry, createFixture().server);
    const events = (await exchange(`${origin}/sse`)).events();
    const { data = "" } = (await events.next()) ?? {};
    const post = (body: string) =>
      exchange(new URL(data, origin).href, { body, headers: { "content-type": "application/json" } });
    const malformed = await post("{");
    expect([malformed.status, (await malformed.json()).error.code]).toEqual([400, -32700]);
    const invalid = await post('{"jsonrpc":"2.0","id":{},"method":"ping"}');
    expect([invalid.status, (await invalid.json()).error.code]).toEqual([400, -32600]);
    events.cut();
  });
});
