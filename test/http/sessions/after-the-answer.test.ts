import { type Context, createServer, tool } from "allspeak";
import { connect } from "allspeak/client";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { entries, open } from "../../support/http/entries.ts";

/** A server whose handlers leave their context behind when they return, or speak so many microtasks later. */
function createForgetful() {
  const contexts: Context[] = [];
  const server = createServer({
    name: "forgetful",
    version: "1.0.0",
    tools: [
      tool("leave", {}, (_, ctx) => {
        contexts.push(ctx);
        return "done";
      }),
      tool("speak", { input: z.object({ later: z.number() }) }, async ({ later }, ctx) => {
        void (async () => {
          for (let turn = 0; turn < later; turn++) await undefined;
          await ctx.log("error", "late");
        })();
        return "done";
      }),
    ],
  });
  return { server, contexts };
}

const done = { content: [{ type: "text", text: "done" }] };
const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

describe.each(entries)("after the answer of $name", (entry) => {
  it.each(revisions)("log messages and progress go nowhere, and harm nobody, in %s", async (revision) => {
    const { server, contexts } = createForgetful();
    const { url } = await open(entry, server);
    await using client = await connect(url, { revisions: [revision], onLog: () => {} });
    await client.tools.call("leave", {}, { onProgress: () => {} });
    const [ctx] = contexts;
    await expect(ctx?.log("error", "late")).resolves.toBeUndefined();
    await expect(ctx?.progress(1, 2)).resolves.toBeUndefined();
    expect(await client.tools.call("leave")).toMatchObject(done);
  });

  it.each(revisions)(
    "a log message around the end of a call does not hold it up, in %s",
    async (revision) => {
      const { server } = createForgetful();
      const { url } = await open(entry, server);
      await using client = await connect(url, { revisions: [revision], onLog: () => {} });
      for (let later = 0; later <= 24; later++)
        expect(await client.tools.call("speak", { later })).toMatchObject(done);
    },
  );

  it("nobody can be asked, and the error says why", async () => {
    const { server, contexts } = createForgetful();
    const { url } = await open(entry, server);
    const elicit = () => ({ action: "accept", content: {} }) as const;
    await using client = await connect(url, { revisions: ["2025-11-25"], elicit });
    await client.tools.call("leave");
    const asking = contexts[0]?.elicit("who", "Who?", z.object({ name: z.string() }));
    await expect(asking).rejects.toThrow("the call has ended");
  });
});
