import { fileURLToPath } from "node:url";
import { createServer, type Server } from "allspeak";
import { type BridgeOptions, openBridge } from "allspeak/bridge";
import type { Target } from "allspeak/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ListChanges } from "../../src/bridge/list-changes.ts";
import type { ServerEvent } from "../../src/contract/server-event.ts";
import { serveOfficialSessions } from "../support/http/official-sessions.ts";
import { openClient } from "../support/open-client.ts";
import { Queue } from "../support/queue.ts";
import { turns } from "../support/turns.ts";
// @ts-expect-error It is a program, too, and has no types.
import { createNoting } from "./fixtures/noting-server.mjs";

const program = fileURLToPath(new URL("fixtures/noting-server.mjs", import.meta.url));

const targets = {
  stdio: async () => ({ command: process.execPath, args: [program, "--stdio"] }),
  HTTP: () => serveOfficialSessions(createNoting),
};

async function bridgeTo(target: Target, options: BridgeOptions = {}): Promise<Server> {
  const bridge = await openBridge(target, options);
  onTestFinished(() => bridge.close());
  return bridge.server;
}

async function listen(target: Server, revision: "2025-11-25" | "2026-07-28" = "2025-11-25") {
  const lists = new Queue<string>();
  const client = await openClient(target, { revisions: [revision] });
  await client.subscribe({ resourceList: true }, ({ kind }) => lists.push(kind));
  await client.tools.call("read");
  return { client, lists };
}

interface Noting {
  getClientVersion(): object | undefined;
  sendResourceListChanged(): Promise<void>;
}

type Listener = Awaited<ReturnType<typeof listen>>;

/** The next change that a call causes. Over HTTP, the server drops what it sends before the stream is open. */
async function addUntilChanged({ client, lists }: Listener): Promise<string> {
  const first = lists.next();
  let isThere = false;
  void first.then(() => {
    isThere = true;
  });
  while (!isThere) await client.tools.call("add");
  return first;
}

const countOf = async ({ client }: Listener) => (await client.resources.list({ fresh: true }).all()).length;

describe.each(Object.entries(targets))(
  "a server over %s that keeps its list for each session",
  (_, reach) => {
    it("announces a change of it to the session whose connection it is, and to no other", async () => {
      const server = await bridgeTo(await reach());
      const [ann, bob] = [await listen(server), await listen(server)];
      expect(await addUntilChanged(ann)).toBe("resources");
      expect(await countOf(ann)).toBeGreaterThan(1);
      expect(await countOf(bob)).toBe(1);
      expect(bob.lists.drain()).toEqual([]);
    });

    it("announces a change of it to all sessions that share the connection", async () => {
      const server = await bridgeTo(await reach(), { isolation: "shared" });
      const [ann, bob] = [await listen(server), await listen(server)];
      expect(await addUntilChanged(ann)).toBe("resources");
      expect(await bob.lists.next()).toBe("resources");
      expect(await countOf(bob)).toBe(await countOf(ann));
    });

    it("announces a change of it to callers without a session, whose connection it is", async () => {
      const server = await bridgeTo(await reach());
      const [ann, bob] = [await listen(server), await listen(server, "2026-07-28")];
      expect(await addUntilChanged(bob)).toBe("resources");
      expect(await countOf(bob)).toBeGreaterThan(1);
      expect(await countOf(ann)).toBe(1);
      expect(ann.lists.drain()).toEqual([]);
    });
  },
);

it("a change that the server announces over the connection for all alone reaches sessions with their own", async () => {
  const servers: Noting[] = [];
  const create = () => {
    servers.push(createNoting());
    return servers.at(-1) as never;
  };
  const server = await bridgeTo(await serveOfficialSessions(create));
  const listeners = [await listen(server), await listen(server, "2026-07-28")];
  // The one before only refused a request of 2026-07-28.
  const main = servers.find((one) => one.getClientVersion());
  const early = await openClient(server, { revisions: ["2025-11-25"] });
  const first = new Promise<void>((resolve) => {
    void early.subscribe({ resourceList: true }, () => resolve());
  });
  let isThere = false;
  void first.then(() => {
    isThere = true;
  });
  while (!isThere) {
    await main?.sendResourceListChanged();
    await turns(10);
  }
  for (const { lists } of listeners) expect(await lists.next()).toBe("resources");
});

it.each(["per-session", "per-principal", "shared"] as const)(
  "a change that all connections report reaches each client once, with isolation %s",
  async (isolation) => {
    const upstream = createServer({ name: "upstream", version: "1", revisions: ["2025-11-25"] });
    upstream.tool("read", {}, () => "");
    upstream.resource("note://one", { name: "one" }, () => "");
    const server = await bridgeTo(upstream, { isolation });
    const revisions = ["2025-11-25", "2025-11-25", "2026-07-28", "2026-07-28"] as const;
    const listeners = await Promise.all(revisions.map((revision) => listen(server, revision)));
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    upstream.resource("note://two", { name: "two" }, () => "");
    for (const { lists } of listeners) expect(await lists.next()).toBe("resources");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(listeners.flatMap(({ lists }) => lists.drain())).toEqual([]);
  },
);

it.each([-3_600_000, 3_600_000])(
  "a change that only the connection for all reports reaches a session whose own has reported before, with a clock that was set by %i ms",
  async (byMs) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const events: ServerEvent[] = [];
    const changes = new ListChanges((event) => events.push(event));
    onTestFinished(() => changes.close());
    const ann = { receivers: ["ann"] };
    changes.report("tools", ann);
    await vi.advanceTimersByTimeAsync(1_000);
    vi.setSystemTime(Date.now() + byMs);
    expect(changes.exceptOwn("tools", [ann])).toEqual({ kind: "tools", except: ["ann"] });
    await vi.advanceTimersByTimeAsync(10_000);
    const toAnn = { kind: "tools", sessions: ["ann"] };
    expect(events).toEqual([toAnn, toAnn]);
  },
);
