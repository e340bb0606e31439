import { UsageError } from "../../../errors.ts";
import { type ContractScope, createKeys, type Promised, upTo } from "../contract-case.ts";

export type FastCheck = typeof import("fast-check");

export interface FuzzOptions {
  /** Runs of each case that draws its steps or its schedule at random. Default 20. */
  readonly runs?: number | undefined;
  /** Runs of each case that draws its schedule, where they are not as many. */
  readonly schedules?: number | undefined;
  /** The most steps of a run: half of them are usual. Default 40. */
  readonly maxSteps?: number | undefined;
  /** The seed of these cases, to repeat a failure: its error names the seed. Default: the time. */
  readonly seed?: number | undefined;
}

/** Checks one property with steps that fast-check draws; each run has keys of its own. */
export interface Fuzzed {
  readonly name: string;
  readonly toProperty: (
    fc: FastCheck,
    newScope: () => ContractScope,
    maxSteps: number,
  ) => ReturnType<FastCheck["asyncProperty"]>;
}

/** Runs at a time: most of a run is waiting for the store. */
const maxLanes = 20;

/** A case of so many runs, in lanes side by side; each lane has a seed of its own, which its error names. */
export function toPromised({ name, toProperty }: Fuzzed, runs: number, options: FuzzOptions): Promised {
  const { seed = Date.now(), maxSteps = 40 } = options;
  const lanes = Math.min(runs, maxLanes);
  return {
    name,
    async run({ nodes }) {
      const fc = await loadFastCheck();
      const property = toProperty(fc, () => ({ nodes, key: createKeys() }), maxSteps);
      const outcomes = await Promise.allSettled(
        upTo(lanes).map((lane) =>
          fc.assert(property, { numRuns: Math.ceil((runs - lane) / lanes), seed: (seed + lane) | 0 }),
        ),
      );
      for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    },
  };
}

async function loadFastCheck(): Promise<FastCheck> {
  try {
    return await import("fast-check");
  } catch (cause) {
    const problem = "stateContract needs fast-check for its random cases: npm install --save-dev fast-check";
    throw new UsageError(problem, { cause });
  }
}

/** One step of a model: what it does to the model, and to one of the nodes. */
export interface ModelStep<Model> {
  readonly check?: (model: Readonly<Model>) => boolean;
  readonly run: (model: Model, scope: ContractScope) => Promise<void>;
  readonly text: string;
}

/** A command of fast-check from a step. */
export function toCommand<Model extends object>({
  check,
  run,
  text,
}: ModelStep<Model>): {
  check: (model: Readonly<Model>) => boolean;
  run: (model: Model, scope: ContractScope) => Promise<void>;
  toString: () => string;
} {
  return { check: check ?? (() => true), run, toString: () => text };
}
