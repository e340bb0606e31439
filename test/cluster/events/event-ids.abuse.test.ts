import type { HttpOptions } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { backends } from "../backends.ts";
import { openNodes } from "../nodes.ts";

const revision = "2025-11-25";

/** Event ids that were never given out, made of those that were. */
function forge([tag = "", stream = "", offset = "", number = "0"]: readonly string[]): string[] {
  const far = "9".repeat(64);
  return [
    "",
    "-",
    "--",
    "---",
    tag,
    `${tag}-`,
    `${tag}-${stream}`,
    `${tag}-${stream}-`,
    `${tag}-${stream}-${far}`,
    `${tag}-${stream}-${far}9`,
    `${tag}-${stream}-${offset}${far}`.slice(0, 200),
    `${tag}-${stream}-0x1`,
    `${tag}-${stream}-1e9`,
    `${tag}-${stream}-..`,
    `${tag}-${stream}-NaN`,
    `${tag}-${stream}-${offset}-${number}-0`,
    `${tag}-${stream}-${offset}-zzzzzzzzzzz`,
    `${tag}-${stream}-${offset}-00`,
    `${tag}-${stream}_x-${offset}`,
    `${tag}-__proto__-${offset}`,
    `${tag}-constructor-${offset}`,
    `${tag}-s-${far}`,
    `${tag}-s-18446744073709551616.0`,
    `${tag}-${"n".repeat(64)}-0`,
    `${tag.toUpperCase()}x-${stream}-${offset}`,
    `${tag}-${stream}-${offset}-${number}`.replaceAll("-", "%2D"),
    `${tag}-${stream}-*`,
    `${tag}-${stream}-'; select 1`,
    "x".repeat(8_000),
  ];
}

describe.each(backends.filter(({ isThere }) => isThere))("event ids with $name", ({ share }) => {
  it("that were never given out are refused at every node, and the session goes on", async () => {
    const { nodes } = await openNodes({}, share());
    const session = await openSession(nodes[0].url, revision);
    const told = await (await session.call("steps", { count: 2 })).events().rest();
    const known = (told[0]?.id ?? "").split("-");
    for (const { url } of nodes) {
      const here = new RawSession(url, session.id, revision);
      const statuses = await Promise.all(forge(known).map(async (id) => (await here.get(id)).status));
      expect(statuses).toEqual(statuses.map(() => 400));
      const again = await (await here.listen(told[0]?.id)).rest();
      expect(again.at(-1)?.data).toBe(told.at(-1)?.data);
    }
  });
});

describe("a session of another kind of caller", () => {
  const identify: HttpOptions["identify"] = (request) => {
    const subject = request.header("x-user");
    return subject === undefined ? undefined : { issuer: "test", subject };
  };

  it.each([
    ["that nobody logged in for is not found by somebody who did", {}, { "x-user": "alice" }],
    ["that somebody logged in for is not found without a login", { "x-user": "alice" }, {}],
    ["of one principal is not found by another", { "x-user": "alice" }, { "x-user": "Alice" }],
  ])("%s, at any node", async (_, first, second) => {
    const { nodes } = await openNodes({ identify });
    const session = await openSession(nodes[0].url, revision, { headers: first });
    const told = await (await session.call("steps", { count: 2 })).events().rest();
    for (const { url } of nodes) {
      const other = new RawSession(url, session.id, revision, second as Record<string, string>);
      const [asked, resumed, ended] = [
        await other.ask("ping"),
        await other.get(told[0]?.id),
        await other.delete(),
      ];
      expect([asked.status, resumed.status, ended.status]).toEqual([404, 404, 404]);
    }
    expect((await session.ask("ping")).status).toBe(200);
  });
});

describe("a flood of readers", () => {
  it("of one stream leaves one of them at each node, and the stream is read to its end", async () => {
    const { nodes } = await openNodes();
    const session = await openSession(nodes[0].url, revision);
    const events = (await session.call("wait", { name: "held", talk: true }, { id: 5 })).events();
    const priming = await events.next();
    await nodes[0].started.next();
    const there = new RawSession(nodes[1].url, session.id, revision);
    const readers = [];
    for (let reader = 0; reader < 100; reader++) readers.push(await there.listen(priming?.id));
    const last = readers.pop();
    // Each of them was ended by the next.
    for (const reader of readers) await reader.rest();
    nodes[0].release("held");
    expect((await last?.messages())?.at(-1)).toMatchObject({ id: 5, result: {} });
  });
});
