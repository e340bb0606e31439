import { memoryState, type State } from "allspeak/http";
import { stateContract } from "allspeak/testing/state";
import { describe, expect, it } from "vitest";

type Break = (memory: State) => Partial<State>;

/** The names of the cases that a state fails. */
async function failuresOf(toBroken: Break): Promise<string[]> {
  const memory = memoryState();
  const broken: State = { ...memory, ...toBroken(memory) };
  const cases = stateContract(() => broken, { runs: 50 }).filter(
    ({ name }) => !/large|expire|time|window|lease/.test(name),
  );
  const outcomes = await Promise.all(
    cases.map(async ({ name, run }) =>
      run().then(
        () => [],
        () => [name],
      ),
    ),
  );
  return outcomes.flat();
}

/** A wait in the middle of an operation that should be atomic. */
const turn = () => new Promise<void>((resolve) => setTimeout(resolve));

const broken: Record<string, Break> = {
  "looks before it adds": ({ values }) => ({
    values: {
      put: (...given) => values.put(...given),
      get: (...given) => values.get(...given),
      remove: (...given) => values.remove(...given),
      add: async (key, value, ttlMs) => {
        if ((await values.get(key)) !== undefined) return false;
        await turn();
        await values.put(key, value, ttlMs);
        return true;
      },
    },
  }),
  "replaces a session whatever its version": ({ sessions }) => ({
    sessions: {
      create: (...given) => sessions.create(...given),
      touch: (...given) => sessions.touch(...given),
      remove: (...given) => sessions.remove(...given),
      replace: async (session, _, ttlMs) => {
        const found = await sessions.touch(session.id, ttlMs);
        return found && sessions.replace(session, found.version, ttlMs);
      },
    },
  }),
  "appends texts one by one": ({ events }) => ({
    events: {
      after: (...given) => events.after(...given),
      holds: (...given) => events.holds(...given),
      last: (...given) => events.last(...given),
      remove: (...given) => events.remove(...given),
      watch: (...given) => events.watch(...given),
      append: async (stream, texts, ttlMs) => {
        let offset = "";
        for (const text of texts) {
          offset = await events.append(stream, [text], ttlMs);
          await turn();
        }
        return offset;
      },
    },
  }),
  "saves for every claim": ({ tasks }) => ({
    tasks: {
      create: (...given) => tasks.create(...given),
      get: (...given) => tasks.get(...given),
      list: (...given) => tasks.list(...given),
      claim: (...given) => tasks.claim(...given),
      answer: (...given) => tasks.answer(...given),
      cancel: (...given) => tasks.cancel(...given),
      onChange: (...given) => tasks.onChange(...given),
      save: async (claim, change) => {
        await tasks.save(claim, change);
        return true;
      },
    },
  }),
};

describe("the contract of a state finds a store that", () => {
  it.each(Object.entries(broken))("%s", async (_, toBroken) => {
    expect((await failuresOf(toBroken)).length).toBeGreaterThanOrEqual(1);
  });

  it("breaks a rule that random steps or schedules reach, too", async () => {
    for (const name of ["replaces a session whatever its version", "saves for every claim"]) {
      const failures = await failuresOf(broken[name] as Break);
      expect(failures.some((failed) => /schedule|whatever two nodes/.test(failed))).toBe(true);
    }
  });
});
