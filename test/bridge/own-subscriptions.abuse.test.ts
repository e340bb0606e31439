import { expect, it } from "vitest";
import { OwnSubscriptions } from "../../src/bridge/own-subscriptions.ts";
import { ServedSessions } from "../../src/client/forward/served-sessions.ts";
import type { Call } from "../../src/contract/call.ts";
import { FairRoom } from "../../src/lib/bounded/fair-room.ts";
import { revisions } from "../../src/protocol/revisions/index.ts";

it("sessions have as many subscriptions over their own connections as there is room for, and give it back", async () => {
  const revision = revisions.find(({ version }) => version === "2025-11-25");
  const uris = Array.from({ length: 20 }, (_, index) => `note://${index}`);
  const session = { id: "one", subscriptions: new Set(uris) };
  const call = { session, principal: undefined } as unknown as Call;
  const sessions = new ServedSessions();
  sessions.add(call);
  const watched = new Set<string>();
  const mount = {
    capabilities: { resources: { subscribe: true } },
    watch: async (uri: string) => void watched.add(uri),
    unwatch: (uri: string) => void watched.delete(uri),
  };
  const room = new FairRoom(10);
  const connection = { mount, upstream: { revision } as never, sessions };
  const own = new OwnSubscriptions(connection, { room, watches: () => true, report: () => {} });
  await own.follow(call);
  expect(watched.size).toBe(room.used);
  expect(room.used).toBeLessThanOrEqual(room.max);
  expect(uris.filter((uri) => own.subscriber(uri) === "one")).toEqual([...watched]);
  own.close();
  expect([room.used, watched.size]).toEqual([0, 0]);
});
