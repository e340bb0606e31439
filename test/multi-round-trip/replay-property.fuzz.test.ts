import { randomBytes } from "node:crypto";
import { createServer, prompt, resource, type Server, tool } from "allspeak";
import { type Client, connect } from "allspeak/client";
import { memoryState, type State } from "allspeak/http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzzed } from "../support/fuzz.ts";
import {
  answerTo,
  anyScript,
  createWorld,
  runScript,
  type Script,
  type World,
} from "../support/handler-script.ts";
import { type Round, sendTo } from "../support/manual-rounds.ts";

const secrets = [randomBytes(32).toString("base64")];
const runs = fuzzed(25, 250);
const seed = Number(process.env.FC_SEED ?? Date.now() & 0x7fffffff);

/** A server value made of nothing but the script and what every node is given. */
function createNode(script: Script, world: World, state: State): Server<unknown> {
  return createServer({
    name: "node",
    version: "1",
    tools: [tool("run", { description: "Runs" }, (_args, ctx) => runScript(script, ctx, world))],
    prompts: [prompt("run", { description: "Runs" }, (_args, ctx) => runScript(script, ctx, world))],
    resources: [resource("script://run", { name: "run" }, (_none, ctx) => runScript(script, ctx, world))],
    secrets,
    state,
    maxRounds: 100,
    log: () => {},
  });
}

/** Each kind of call that a handler can ask in, alone and with a client. */
const ways = [
  { method: "tools/call", params: { name: "run" }, call: (client: Client) => client.tools.call("run") },
  { method: "prompts/get", params: { name: "run" }, call: (client: Client) => client.prompts.get("run") },
  {
    method: "resources/read",
    params: { uri: "script://run" },
    call: (client: Client) => client.resources.read("script://run"),
  },
] as const;
type Way = (typeof ways)[number];

/** What the handler comes to where it is never interrupted. */
async function runLive(script: Script, way: Way, revision: "2025-06-18" | "2025-11-25") {
  const world = createWorld();
  const client = await connect(createNode(script, world, memoryState()), {
    revisions: [revision],
    elicit: (ask) => answerTo("elicitation/create", ask) as never,
    sample: (ask) => answerTo("sampling/createMessage", ask) as never,
    roots: () => answerTo("roots/list", {}).roots as never,
  });
  try {
    return { seen: seenOf(await way.call(client)), world };
  } catch (error) {
    return { seen: { failed: withoutReference((error as Error).message) }, world };
  } finally {
    await client.close();
  }
}

/** Which of the open questions a client answers in a round, and with what nonsense it fills the others. */
interface Mood {
  readonly answers: number;
  readonly nonsense: unknown;
}

const anyMood: fc.Arbitrary<Mood> = fc.record({
  answers: fc.nat(255),
  nonsense: fc.constantFrom(undefined, null, 1, "yes", [], {}, { action: "maybe" }, { roots: 1 }),
});
const patient: Mood = { answers: 255, nonsense: undefined };

function respond(requests: Record<string, { method: string; params: unknown }>, mood: Mood) {
  const responses = new Map<string, unknown>([["nobody-asked", { action: "accept" }]]);
  for (const [index, [key, { method, params }]] of Object.entries(requests).entries()) {
    const isAnswered = (mood.answers >> (index % 8)) & 1;
    if (isAnswered) responses.set(key, answerTo(method, params));
    else if (mood.nonsense !== undefined) responses.set(key, mood.nonsense);
  }
  return Object.fromEntries(responses);
}

/** What the handler comes to with another node for each round. */
async function runInRounds(script: Script, way: Way, moods: readonly Mood[]) {
  const world = createWorld();
  const state = memoryState();
  let carried: Round = {};
  for (let rounds = 0; rounds < 100; rounds++) {
    const node = createNode(script, world, state);
    const { result, error } = await sendTo(node, way.method, { ...way.params, ...carried });
    if (error) return { seen: { failed: withoutReference(error.message) }, world, rounds };
    if (result.resultType !== "input_required") return { seen: seenOf(result), world, rounds };
    expect(Object.keys(result.inputRequests)).not.toEqual([]);
    const inputResponses = respond(result.inputRequests, moods[rounds] ?? patient);
    carried = { inputResponses, requestState: result.requestState };
  }
  throw new Error("It came to no end.");
}

describe(`handlers that are interrupted anywhere and go on elsewhere, seed ${seed}`, () => {
  it.each(ways)(
    "come to what they come to uninterrupted, and do once what is to be done once: $method",
    async (way) => {
      let rounds = 0;
      const revision = fc.constantFrom("2025-06-18" as const, "2025-11-25" as const);
      await fc.assert(
        fc.asyncProperty(
          anyScript,
          fc.array(anyMood, { maxLength: 6 }),
          revision,
          async (script, moods, old) => {
            const [live, replayed] = await Promise.all([
              runLive(script, way, old),
              runInRounds(script, way, moods),
            ]);
            expect(replayed.seen).toEqual(live.seen);
            expect([...replayed.world.done].sort()).toEqual([...live.world.done].sort());
            for (const times of replayed.world.done.values()) expect(times).toBe(1);
            expect(live.world.runs).toBe(1);
            expect(replayed.world.runs).toBe(replayed.rounds + 1);
            rounds += replayed.rounds;
          },
        ),
        { numRuns: runs, seed },
      );
      // Else it has shown nothing.
      expect(rounds).toBeGreaterThan(1.5 * runs);
    },
    600_000,
  );
});

/** What a handler returned, out of a result of whichever kind. */
function seenOf(result: object): unknown {
  const { content, messages, contents, isError = false } = result as Record<string, unknown>;
  return { content, messages, contents, isError };
}

/** Each masked error has a reference of its own. */
function withoutReference(message: string): string {
  return message.replace(/\(ref \w+\)/, "(ref)");
}
