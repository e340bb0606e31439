import { memoryState, type SessionStore } from "allspeak/http";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Session, SessionChange } from "../../../src/contract/call.ts";
import type { NodeService } from "../../../src/contract/service.ts";
import { Initialized } from "../../../src/peer/initialized.ts";
import { revisions } from "../../../src/protocol/revisions/index.ts";
import { subscriptionsOf } from "../../../src/server/methods/session.ts";
import { SessionRecord } from "../../../src/transports/http/server/session/session-record.ts";

const idleMs = 600_000;
const owner = "anna";

/** A change of the subscription to one resource, and what the store makes of it. */
interface Step {
  readonly node: number;
  readonly does: "subscribe" | "unsubscribe";
  /** Turns before the request, until the store has it, and until its answer comes. */
  readonly turns: readonly [number, number, number];
  readonly outcome: "stored" | "refused" | "stored, no answer" | "stored late, no answer";
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
async function pass(turns: number): Promise<void> {
  for (let passed = 0; passed < turns; passed++) await turn();
}

/** A node with one session, over sessions that answer as a step says. */
class Node {
  readonly session: Session;
  readonly #sessions: SessionStore;
  readonly #record: SessionRecord;
  /** Steps whose turn it is to be stored. */
  readonly #saving: Step[] = [];
  readonly late: Promise<unknown>[] = [];

  constructor(sessions: SessionStore, session: Session, stored: Awaited<ReturnType<SessionStore["touch"]>>) {
    this.session = session;
    this.#sessions = {
      create: (...given) => sessions.create(...given),
      touch: async (...given) => {
        await turn();
        const found = await sessions.touch(...given);
        await turn();
        return found;
      },
      remove: (...given) => sessions.remove(...given),
      replace: (...given) => this.#replace(sessions, given),
    };
    const service = {
      updateSession: (_: Session, { subscriptions }: { readonly subscriptions: readonly string[] }) => {
        subscriptionsOf(session).clear();
        for (const uri of subscriptions) subscriptionsOf(session).add(uri);
      },
    } as unknown as NodeService;
    const takeRoom = () => {};
    const place = { state: { sessions: this.#sessions }, node: { service }, takeRoom, idleMs };
    this.#record = new SessionRecord(session, new Initialized(true), place, { owner, stored });
  }

  /** Answers a request as a node does: finds the session, changes it, and stores it. */
  async answer(uri: string, step: Step): Promise<boolean> {
    const { version } = this.#record;
    const found = await this.#sessions.touch("s", idleMs);
    if (found && !this.#record.refresh(found, version)) await this.#record.reload();
    const subscriptions = subscriptionsOf(this.session);
    const begin = () => void subscriptions.add(uri);
    const end = () => void subscriptions.delete(uri);
    const apply = step.does === "subscribe" ? begin : end;
    const change: SessionChange = {
      apply: () => {
        this.#saving.splice(0, 1, step);
        apply();
      },
      undo: (stored) => (stored.subscriptions.includes(uri) ? begin() : end()),
    };
    apply();
    return this.#record.save({ change }).then(
      () => true,
      () => false,
    );
  }

  reload(): Promise<boolean> {
    return this.#record.reload();
  }

  async #replace(sessions: SessionStore, given: Parameters<SessionStore["replace"]>) {
    const { turns, outcome } = this.#saving[0] as Step;
    const [, untilStored, untilAnswered] = turns;
    const store = async () => {
      await pass(untilStored);
      return sessions.replace(...given);
    };
    if (outcome === "stored late, no answer") this.late.push(pass(untilAnswered).then(store));
    const version = outcome.startsWith("stored,") || outcome === "stored" ? await store() : undefined;
    await pass(untilAnswered);
    if (outcome !== "stored") throw new Error("There was no answer.");
    return version;
  }
}

const turns = fc.nat({ max: 6 });
const step: fc.Arbitrary<Step> = fc.record({
  node: fc.nat({ max: 2 }),
  does: fc.constantFrom("subscribe" as const, "unsubscribe" as const),
  turns: fc.tuple(turns, turns, turns),
  outcome: fc.constantFrom(
    "stored" as const,
    "stored" as const,
    "refused" as const,
    "stored, no answer" as const,
    "stored late, no answer" as const,
  ),
});

/** The session of three nodes: the last change of each resource that was acknowledged holds. */
async function run(steps: readonly (readonly Step[])[]): Promise<void> {
  const { sessions } = memoryState();
  const revision = revisions.at(-1);
  if (revision === undefined) throw new Error("There is no revision.");
  const toSession = (): Session => ({
    id: "s",
    revision,
    client: { info: undefined, capabilities: {} },
    logLevel: undefined,
    lists: new Set(),
    subscriptions: new Set(),
    pendingElicitations: new Set(),
  });
  const { pendingElicitations: _, revision: __, ...rest } = toSession();
  await sessions.create(
    { ...rest, owner, revision: revision.version, ready: true, lists: [], subscriptions: [], read: "0" },
    idleMs,
  );
  const stored = await sessions.touch("s", idleMs);
  const nodes = [0, 1, 2].map(() => new Node(sessions, toSession(), stored));
  const expected = await Promise.all(
    steps.map(async (ofUri, index) => {
      let acknowledged: boolean | undefined = false;
      for (const one of ofUri) {
        await pass(one.turns[0]);
        const isStored = await nodes[one.node]?.answer(`uri:${index}`, one);
        acknowledged = isStored ? one.does === "subscribe" : undefined;
      }
      return acknowledged;
    }),
  );
  await Promise.all(nodes.flatMap(({ late }) => late));
  await Promise.all(nodes.map((node) => node.reload()));
  const kept = (await sessions.touch("s", idleMs))?.session.subscriptions ?? [];
  const places = [kept, ...nodes.map(({ session }) => [...subscriptionsOf(session)])];
  for (const [index, isSubscribed] of expected.entries())
    if (isSubscribed !== undefined)
      expect(places.map((place) => place.includes(`uri:${index}`))).toEqual(places.map(() => isSubscribed));
}

describe("a session that three nodes change at once, over a store that does not always answer", () => {
  it("keeps the last change of each resource that was acknowledged, at every node", async () => {
    const steps = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
    await fc.assert(fc.asyncProperty(steps, run), { numRuns: 300 });
  });
});
