import { expect, it } from "vitest";
import { Announcements } from "../../src/cluster/announcements.ts";
import type { ServerEvent } from "../../src/contract/server-event.ts";
import { logToConsole } from "../../src/server/log.ts";
import { ServerEvents } from "../../src/server/server-events.ts";
import { turns } from "../support/turns.ts";

// Loaded before, so that a few turns suffice.
await import("../../src/server/event-fan-out.ts");

const uri = "note://one";

/** Pairs of events for different sessions, and those of the sessions a, b and c that receive at least one of both. */
const pairs = [
  ["a session that is notified another way from now on", [{ except: ["a"] }, { except: ["a", "b"] }], "bc"],
  ["a session that is notified another way no longer", [{ except: ["a", "b"] }, { except: ["a"] }], "bc"],
  ["one session of two", [{ sessions: ["a", "b"] }, { sessions: ["a"] }], "ab"],
  ["two sessions", [{ sessions: ["a"] }, { sessions: ["b"] }], "ab"],
  ["a session, and all others", [{ sessions: ["a"] }, { except: ["a", "b"] }], "ac"],
  ["all", [{}, { except: ["a", "b"] }], "abc"],
] as const;

function receives(id: string, { sessions, except }: ServerEvent): boolean {
  return sessions?.includes(id) !== false && except?.includes(id) !== true;
}

it.each(pairs)("changes for %s reach each of them while others wait", async (_, audiences, expected) => {
  const events = new ServerEvents(logToConsole);
  const received: ServerEvent[] = [];
  events.add({ onEvent: (event) => received.push(event) });
  for (let count = 0; count < 300; count++) events.add({ onEvent: () => {} });
  events.forward({ kind: "tools" });
  for (const audience of audiences) events.forward({ kind: "resource", uri, ...audience });
  await turns(10);
  const updates = received.filter(({ kind }) => kind === "resource");
  expect([..."abc"].filter((id) => updates.some((update) => receives(id, update))).join("")).toBe(expected);
});

it.each(pairs)("changes for %s reach each of them at other nodes", async (_, audiences, expected) => {
  const stored: string[] = [];
  const append = async (_stream: string, texts: readonly string[]) => void stored.push(...texts);
  const events = { append, last: async () => "0" } as never;
  const announcements = new Announcements({ events, values: {} as never, report: () => {} });
  await Promise.all(audiences.map((audience) => announcements.add({ kind: "resource", uri, ...audience })));
  const updates = stored.map((text) => JSON.parse(text).event as ServerEvent);
  expect([..."abc"].filter((id) => updates.some((update) => receives(id, update))).join("")).toBe(expected);
});
