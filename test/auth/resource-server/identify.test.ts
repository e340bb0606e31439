import { RpcError } from "allspeak";
import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { callNewest } from "../../support/http/stateless-request.ts";

describe.each(entries)("$name", (entry) => {
  it("a caller that identify refuses gets its response, and no server failure is logged", async () => {
    const { server, reports, entered } = createFixture();
    const { url } = await open(entry, server, {
      identify: () => {
        throw new RpcError(-32001, "Who are you?");
      },
    });
    const answer = await callNewest(url, "echo", { text: "hello" });
    expect(answer.status).toBe(403);
    expect((await answer.json()).error).toEqual({ code: -32001, message: "Who are you?" });
    expect([entered(), reports]).toEqual([
      0,
      [{ message: expect.stringContaining("was refused by identify") }],
    ]);
  });
});
