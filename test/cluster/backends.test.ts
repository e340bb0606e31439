import { describe, expect, it } from "vitest";
import { exchange } from "../support/http/exchange.ts";
import { openSession, RawSession, toInitialize } from "../support/http/raw-session.ts";
import { askNewest } from "../support/http/stateless-request.ts";
import { backends } from "./backends.ts";
import { openNodes } from "./nodes.ts";

const notes = "fixture://notes";
const revisions = ["2025-03-26", "2025-06-18", "2025-11-25"] as const;

interface Question {
  readonly id: string;
}

describe.each(backends)("three nodes over $name", ({ isThere, share }) => {
  it.skipIf(!isThere).each(revisions)(
    "share the sessions, streams and calls of %s",
    async (revision) => {
      const { nodes } = await openNodes({}, share());
      const [a, b, c] = nodes;
      const capabilities = { elicitation: {} };
      const session = await openSession(a.url, revision, { capabilities });
      const at = (url: string) => new RawSession(url, session.id, revision);
      await (await at(b.url).ask("resources/subscribe", { uri: notes })).result();
      const events = await at(c.url).listen();
      a.server.resources.updated(notes);
      let last = await events.next();
      while (last && !last.data) last = await events.next();
      expect(JSON.parse(last?.data ?? "{}")).toMatchObject({ params: { uri: notes } });
      events.cut();
      b.server.tool("later", "A tool that comes later", () => "now");
      const rest = await at(a.url).listen(last?.id);
      expect(await rest.message()).toMatchObject({ method: "notifications/tools/list_changed" });
      rest.cut();

      const held = at(b.url).call("wait", { name: "held", talk: true }, { id: 7 });
      await b.started.next();
      await at(c.url).notify("notifications/cancelled", { requestId: 7 });
      expect(await b.aborted.next()).toBe("held");
      (await held).cut();

      if (revision !== "2025-03-26") {
        const asking = (await at(c.url).call("ask")).events();
        const question = await asking.message<Question>();
        await at(a.url).answer(question?.id, { action: "accept", content: { seats: 3 } });
        expect(await asking.message()).toMatchObject({
          result: { content: [{ text: expect.stringContaining("3") }] },
        });
      }

      const steps = (await at(a.url).call("steps", { count: 5 }, { id: 8 })).events();
      const first = await steps.next();
      const resumed = await (await at(b.url).listen(first?.id)).messages();
      expect(resumed.at(-1)).toMatchObject({ id: 8, result: { content: [{ text: "5 steps" }] } });
      steps.cut();

      expect((await at(b.url).delete()).status).toBe(204);
      for (const { url } of nodes) expect((await at(url).ask("ping")).status).toBe(404);
    },
    30_000,
  );

  it.skipIf(!isThere)(
    "share the events of 2026-07-28 and the streams of 2024-11-05",
    async () => {
      const { nodes } = await openNodes({}, share());
      const [a, b, c] = nodes;
      const notifications = { resourceSubscriptions: [notes] };
      const listening = (await askNewest(a.url, "subscriptions/listen", { notifications })).events();
      await listening.message();
      b.server.resources.updated(notes);
      expect(await listening.message()).toMatchObject({ params: { uri: notes } });
      listening.cut();

      const events = (await exchange(`${b.origin}/sse`)).events();
      const path = (await events.next())?.data ?? "";
      const headers = { "content-type": "application/json" };
      await exchange(`${c.origin}${path}`, { body: toInitialize("2024-11-05"), headers });
      expect(await events.message()).toMatchObject({ result: { protocolVersion: "2024-11-05" } });
      events.cut();
    },
    30_000,
  );
});
