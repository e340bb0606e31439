import { randomBytes } from "node:crypto";
import { createServer, type Server, tool } from "allspeak";
import { connect } from "allspeak/client";
import { memoryState, type State } from "allspeak/http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  answerTo,
  anyScript,
  createWorld,
  runScript,
  type Script,
  type World,
} from "../support/handler-script.ts";
import { type Outcome, type Round, sendTo } from "../support/manual-rounds.ts";

const secrets = [randomBytes(32).toString("base64")];
const seed = Number(process.env.FC_SEED ?? Date.now() & 0x7fffffff);

/** A server value made of nothing but the script and what every node is given. */
function createNode(script: Script, world: World, state: State): Server<unknown> {
  const run = tool("run", { description: "Runs a script" }, (_args, ctx) => runScript(script, ctx, world));
  return createServer({ name: "node", version: "1", tools: [run], secrets, state, maxRounds: 100 });
}

/** What the handler comes to where it is never interrupted. */
async function runLive(script: Script): Promise<{ outcome: unknown; world: World }> {
  const world = createWorld();
  const client = await connect(createNode(script, world, memoryState()), {
    revisions: ["2025-11-25"],
    elicit: (ask) => answerTo("elicitation/create", ask) as never,
    sample: (ask) => answerTo("sampling/createMessage", ask) as never,
    roots: () => answerTo("roots/list", {}).roots as never,
  });
  try {
    return { outcome: await client.tools.call("run"), world };
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

function respond(requests: Record<string, { method: string; params: unknown }>, mood: Mood) {
  const responses = new Map<string, unknown>([["nobody-asked", { action: "accept" }]]);
  for (const [index, [key, { method, params }]] of Object.entries(requests).entries()) {
    const isAnswered = (mood.answers >> (index % 8)) & 1;
    if (isAnswered) responses.set(key, answerTo(method, params));
    else if (mood.nonsense !== undefined) responses.set(key, mood.nonsense);
  }
  return Object.fromEntries(responses);
}

const patient: Mood = { answers: 255, nonsense: undefined };

/** What the handler comes to with another node for each round. */
async function runInRounds(script: Script, moods: readonly Mood[]) {
  const world = createWorld();
  const state = memoryState();
  let carried: Round = {};
  for (let round = 0; round < 100; round++) {
    const node = createNode(script, world, state);
    const { result, error }: Outcome = await sendTo(node, "tools/call", { name: "run", ...carried });
    if (error) throw new Error(`round ${round}: ${error.code} ${error.message}`);
    if (result.resultType !== "input_required") return { outcome: result, world, rounds: round };
    expect(Object.keys(result.inputRequests)).not.toEqual([]);
    const inputResponses = respond(result.inputRequests, moods[round] ?? patient);
    carried = { inputResponses, requestState: result.requestState };
  }
  throw new Error("It came to no end.");
}

describe(`handlers that are interrupted anywhere and go on elsewhere, seed ${seed}`, () => {
  it("come to what they come to uninterrupted, and do once what is to be done once", async () => {
    let rounds = 0;
    await fc.assert(
      fc.asyncProperty(anyScript, fc.array(anyMood, { maxLength: 6 }), async (script, moods) => {
        const [live, replayed] = await Promise.all([runLive(script), runInRounds(script, moods)]);
        expect(contentOf(replayed.outcome)).toEqual(contentOf(live.outcome));
        expect([...replayed.world.done].sort()).toEqual([...live.world.done].sort());
        for (const times of replayed.world.done.values()) expect(times).toBe(1);
        expect(live.world.runs).toBe(1);
        expect(replayed.world.runs).toBe(replayed.rounds + 1);
        rounds += replayed.rounds;
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 300), seed },
    );
    // Else it has shown nothing.
    expect(rounds).toBeGreaterThan(300);
  }, 600_000);
});

function contentOf(result: unknown): unknown {
  const { content, isError = false } = result as { content: unknown; isError?: boolean };
  return { content, isError };
}
