import type { HttpOptions } from "allspeak/http";
import { describe, expect, it } from "vitest";
import type { Answer } from "../support/http/exchange.ts";
import { openSession, RawSession } from "../support/http/raw-session.ts";
import { openNodes } from "./nodes.ts";

const identify: HttpOptions["identify"] = (request) => {
  const subject = request.header("x-user");
  return subject === undefined ? undefined : { issuer: "test", subject };
};
const alice = { "x-user": "alice" };
const revision = "2025-11-25";

/** All that a stranger learns. */
async function read(answer: Answer): Promise<unknown> {
  return [answer.status, await answer.json()];
}

describe("another principal with the id of a session", () => {
  it("finds nothing at any node, as with an id that never was, and changes nothing", async () => {
    const { nodes } = await openNodes({ identify });
    const session = await openSession(nodes[0].url, revision, { headers: alice });
    const events = (await session.call("wait", { name: "held", talk: true }, { id: 5 })).events();
    const priming = await events.next();
    await nodes[0].started.next();
    const standalone = await new RawSession(nodes[1].url, session.id, revision, alice).listen();
    for (const headers of [{ "x-user": "bob" }, {}]) {
      for (const { url } of nodes) {
        const bob = new RawSession(url, session.id, revision, headers);
        const nobody = new RawSession(url, "f".repeat(32), revision, headers);
        for (const send of [
          (as: RawSession) => as.ask("ping", {}, { id: 1 }),
          (as: RawSession) => as.notify("notifications/cancelled", { requestId: 5 }),
          (as: RawSession) => as.answer("n000000000000.1", {}),
          (as: RawSession) => as.get(),
          (as: RawSession) => as.get(priming?.id),
          (as: RawSession) => as.delete(),
        ]) {
          const answer = await read(await send(bob));
          expect(answer).toEqual(await read(await send(nobody)));
          expect(answer).toMatchObject([404, {}]);
        }
      }
    }
    nodes[2].server.tool("later", "A tool that comes later", () => "now");
    expect(await standalone.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    nodes[0].release("held");
    expect((await events.messages()).at(-1)).toMatchObject({ id: 5, result: {} });
    standalone.cut();
  });

  it("gets no event of its streams, in a session of its own", async () => {
    const { nodes } = await openNodes({ identify });
    const [a, b] = nodes;
    const session = await openSession(a.url, revision, { headers: alice });
    const bob = await openSession(b.url, revision, { headers: { "x-user": "bob" } });
    const told = await (await session.call("steps", { count: 3 })).events().rest();
    for (const { id } of told) {
      expect((await bob.get(id)).status).toBe(400);
      expect((await bob.get(id?.replace(session.id.slice(0, 8), bob.id.slice(0, 8)))).status).toBe(400);
    }
  });
});
