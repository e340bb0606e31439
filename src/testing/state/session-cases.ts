import { equal, notEqual, ok } from "node:assert/strict";
import { type StoredSession, streamStart } from "../../state/state.ts";
import { eventually, longMs, type Promised, same, upTo } from "./contract-case.ts";
import { oddTexts } from "./odd-text.ts";

export function toSession(id: string): StoredSession {
  return {
    id,
    owner: '["https://issuer.example","alice",null]',
    revision: "newest",
    client: { info: { name: "raw", version: "1" }, capabilities: { sampling: {} } },
    ready: false,
    logLevel: undefined,
    lists: ["tools"],
    subscriptions: [],
    read: streamStart,
  };
}

export const sessionCases: readonly Promised[] = [
  {
    name: "a session is found on every node with all its members, under the version of its last change",
    async run({ nodes: [a, b], key }) {
      const session = toSession(key());
      const version = await a.sessions.create(session, longMs);
      same(await b.sessions.touch(session.id, longMs), { session, version });
      const changed: StoredSession = {
        ...session,
        ready: true,
        logLevel: "error",
        lists: ["tools", ...oddTexts],
        subscriptions: oddTexts,
        read: "1700000000000.7",
      };
      const next = await b.sessions.replace(changed, version ?? "", longMs);
      ok(next !== undefined);
      notEqual(next, version);
      same(await a.sessions.touch(session.id, longMs), { session: changed, version: next });
    },
  },
  {
    name: "a session is created once, also when many nodes do so at the same time",
    async run({ nodes, key }) {
      const session = toSession(key());
      const versions = await Promise.all(
        upTo(20).map((at) => nodes[at % 2]?.sessions.create({ ...session, owner: `${at}` }, longMs)),
      );
      const created = versions.flatMap((version, at) => (version === undefined ? [] : [{ version, at }]));
      equal(created.length, 1);
      const found = await nodes[0].sessions.touch(session.id, longMs);
      same(found, { session: { ...session, owner: `${created[0]?.at}` }, version: created[0]?.version });
    },
  },
  {
    name: "a session is replaced by one of many that have read the same version",
    async run({ nodes, key }) {
      const session = toSession(key());
      const version = (await nodes[0].sessions.create(session, longMs)) ?? "";
      const versions = await Promise.all(
        upTo(20).map((at) =>
          nodes[at % 2]?.sessions.replace({ ...session, owner: `${at}` }, version, longMs),
        ),
      );
      equal(versions.filter((next) => next !== undefined).length, 1);
      const owner = `${versions.findIndex((next) => next !== undefined)}`;
      equal((await nodes[1].sessions.touch(session.id, longMs))?.session.owner, owner);
    },
  },
  {
    name: "a session that returns to an earlier content has another version",
    async run({ nodes: [a, b], key }) {
      const session = toSession(key());
      const first = (await a.sessions.create(session, longMs)) ?? "";
      const second = (await b.sessions.replace({ ...session, ready: true }, first, longMs)) ?? "";
      const third = (await a.sessions.replace(session, second, longMs)) ?? "";
      equal(new Set([first, second, third]).size, 3);
      equal(await b.sessions.replace(session, first, longMs), undefined);
    },
  },
  {
    name: "a session is removed by one of many, and neither found nor replaced afterwards",
    async run({ nodes, key }) {
      const [session, other] = [toSession(key("one")), toSession(key("other"))];
      const version = (await nodes[0].sessions.create(session, longMs)) ?? "";
      await nodes[0].sessions.create(other, longMs);
      const removed = await Promise.all(upTo(10).map((at) => nodes[at % 2]?.sessions.remove(session.id)));
      equal(removed.filter(Boolean).length, 1);
      equal(await nodes[1].sessions.touch(session.id, longMs), undefined);
      equal(await nodes[1].sessions.replace(session, version, longMs), undefined);
      equal(await nodes[1].sessions.touch(session.id, longMs), undefined);
      ok(await nodes[1].sessions.touch(other.id, longMs));
    },
  },
  {
    name: "a session that was removed and created again has another version",
    async run({ nodes: [a, b], key }) {
      const session = toSession(key());
      const version = (await a.sessions.create(session, longMs)) ?? "";
      await a.sessions.remove(session.id);
      await b.sessions.create(session, longMs);
      equal(await a.sessions.replace({ ...session, ready: true }, version, longMs), undefined);
    },
  },
  {
    name: "a session expires, unless any node touches or replaces it; touching changes no version",
    async run({ nodes: [a, b], key }) {
      const [brief, touched, replaced] = ["brief", "touched", "replaced"].map((name) => toSession(key(name)));
      if (!brief || !touched || !replaced) return;
      await a.sessions.create(brief, 50);
      // Long enough for a slow store to get the next command before they expire.
      const version = await a.sessions.create(touched, 1000);
      const old = (await a.sessions.create(replaced, 1000)) ?? "";
      equal((await b.sessions.touch(touched.id, longMs))?.version, version);
      ok(await b.sessions.replace(replaced, old, longMs));
      const witness = toSession(key("witness"));
      await a.sessions.create(witness, 1000);
      await eventually("expiry", async () => (await b.sessions.create(brief, longMs)) !== undefined);
      await eventually("expiry", async () => (await b.sessions.create(witness, longMs)) !== undefined);
      equal((await a.sessions.touch(touched.id, longMs))?.version, version);
      ok(await a.sessions.touch(replaced.id, longMs));
    },
  },
  {
    name: "a session is neither found nor replaced after its time",
    async run({ nodes: [a, b], key }) {
      const session = toSession(key());
      const version = (await a.sessions.create(session, 50)) ?? "";
      // The clocks of nodes may differ a little.
      for (const node of [a, b])
        await eventually("expiry", async () => (await node.sessions.touch(session.id, 1)) === undefined);
      equal(await a.sessions.replace(session, version, longMs), undefined);
      equal(await a.sessions.touch(session.id, longMs), undefined);
      equal(await b.sessions.remove(session.id), false);
    },
  },
  {
    name: "a session may have any id, and no id stands for another",
    async run({ nodes: [a, b], key }) {
      const ids = [...oddTexts.map(key), key("x".repeat(900)), key("y".repeat(900))];
      for (const id of ids) equal(await a.sessions.touch(id, longMs), undefined);
      for (const id of ids) ok(await a.sessions.create(toSession(id), longMs));
      for (const id of ids) equal((await b.sessions.touch(id, longMs))?.session.id, id);
    },
  },
];
