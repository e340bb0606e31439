import { AssertionError } from "node:assert";
import { assertOptions, type OptionKinds } from "../../contract/options.ts";
import type { Pipe } from "../../contract/pipe.ts";
import type { Transport } from "../../contract/transport.ts";
import { UsageError } from "../../errors.ts";
import type { FetchFunction } from "../transcript/record-exchange.ts";
import { wrapTransport } from "../wrap-transport.ts";
import { describeFault, type FaultOptions, FaultPlan, type InjectedFault } from "./fault.ts";
import { createFaultyFetch } from "./faulty-fetch.ts";
import { FaultyPipe } from "./faulty-pipe.ts";

/** Faults that are put around transports. */
export interface Faults {
  /** The seed that repeats what happens. */
  readonly seed: number;
  /** The faults that happened so far, at most 1,000. */
  readonly injected: readonly InjectedFault[];
  /** A transport like this one, in which messages are lost, late, doubled, swapped, or end the connection. */
  transport(transport: Transport): Transport;
  /** The same for one end of a pipe. */
  pipe(pipe: Pipe): Pipe;
  /** A `fetch` like this one, in which requests and responses are. The only one that answers with a status. */
  fetch(fetch?: FetchFunction): FetchFunction;
  /** Runs a test; an error that it throws names the seed and the faults that happened. */
  during<T>(run: () => T | Promise<T>): Promise<T>;
}

const maxShown = 20;

/** Makes faults by chance, which the seed decides, or by functions. */
export function faults(options: FaultOptions): Faults {
  assertOptions("faults", options, optionKinds);
  assertChances(options);
  const plan = new FaultPlan(options);
  return {
    seed: plan.seed,
    injected: plan.injected,
    transport: (transport) =>
      wrapTransport(transport, ({ wrapPipe = (pipe) => pipe, ...opening }) => ({
        ...opening,
        wrapPipe: (pipe) => new FaultyPipe(wrapPipe(pipe), plan),
      })),
    pipe: (pipe) => new FaultyPipe(pipe, plan),
    fetch: (fetch = globalThis.fetch) => createFaultyFetch(fetch, plan),
    during: (run) => explain(run, plan),
  };
}

const optionKinds: OptionKinds<FaultOptions> = {
  drop: "number|function",
  delay: "number|function",
  delayMs: "number",
  duplicate: "number|function",
  reorder: "number|function",
  cut: "number|function",
  status: "number|function",
  statusCode: "number",
  seed: "any",
};

function assertChances(options: FaultOptions): void {
  for (const kind of ["drop", "delay", "duplicate", "reorder", "cut", "status"] as const) {
    const chance = options[kind];
    if (typeof chance === "number" && !(chance >= 0 && chance <= 1))
      throw new UsageError(`faults: ${kind} must be a share from 0 to 1 or a function, not ${chance}.`);
  }
}

async function explain<T>(run: () => T | Promise<T>, { seed, injected }: FaultPlan): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const shown = injected.slice(0, maxShown).map((fault) => `  ${describeFault(fault)}`);
    const more = injected.length > maxShown ? [`  and ${injected.length - maxShown} more`] : [];
    const happened = shown.length === 0 ? ["  none"] : [...shown, ...more];
    const message = cause instanceof Error ? cause.message : String(cause);
    const explained = `${message}\nFaults with the seed ${seed}:\n${happened.join("\n")}`;
    throw Object.assign(new AssertionError({ message: explained }), { cause });
  }
}
