import { canonicalJson } from "../../lib/encoding/canonical-json.ts";
import type { JsonObject } from "../../lib/json.ts";
import { targetOf } from "../../protocol/method.ts";
import { methods } from "../../protocol/method-table.ts";
import { withoutFree } from "../../testing/transcript/free-values.ts";
import type { ComparedPair, Comparison } from "../messages/recording.ts";
import { findDifferences } from "../revisions/differences.ts";
import type { Exchange } from "./transcript.ts";

/** Compares two runs: an exchange is paired with the next one of the other run that asks for the same. */
export function compareExchanges(left: readonly Exchange[], right: readonly Exchange[]): Comparison {
  const unpaired = new Unpaired(right);
  const pairs = left.map((exchange): ComparedPair => {
    const other = unpaired.take(exchange);
    return other
      ? toPair(exchange, other)
      : { ...describe(exchange), state: "only-left", left: exchange.answer, differences: [] };
  });
  const rest = unpaired.rest.map(
    (exchange): ComparedPair => ({
      ...describe(exchange),
      state: "only-right",
      right: exchange.answer,
      differences: [],
    }),
  );
  const all = [...pairs, ...rest];
  const same = all.filter(({ state }) => state === "same").length;
  return { pairs: all, same, different: all.length - same };
}

/** The exchanges of a run that have no partner yet, by what they ask for. */
class Unpaired {
  readonly #rest: Set<Exchange>;
  /** The exchanges of each key, the first one at the end. */
  readonly #byKey = new Map<string, Exchange[]>();

  constructor(exchanges: readonly Exchange[]) {
    this.#rest = new Set(exchanges);
    for (const exchange of exchanges.toReversed())
      for (const key of keysOf(exchange)) {
        const known = this.#byKey.get(key);
        if (known) known.push(exchange);
        else this.#byKey.set(key, [exchange]);
      }
  }

  get rest(): readonly Exchange[] {
    return [...this.#rest];
  }

  /** Takes the first one with the same params, else the first that names the same target. */
  take(exchange: Exchange): Exchange | undefined {
    for (const key of keysOf(exchange)) {
      const found = this.#byKey.get(key) ?? [];
      for (let first = found.pop(); first; first = found.pop()) if (this.#rest.delete(first)) return first;
    }
    return undefined;
  }
}

function keysOf({ method, params }: Exchange): readonly string[] {
  const same = (withoutFree({ method, params }, "client") as { params: JsonObject }).params;
  const target = JSON.stringify([method, targetOf(methods.get(method), same)]);
  return [`${target} ${canonicalJson(same)}`, target];
}

function toPair(left: Exchange, right: Exchange): ComparedPair {
  const differences = findDifferences(comparable(left), comparable(right));
  return {
    ...describe(left),
    state: differences.length === 0 ? "same" : "different",
    left: left.answer,
    right: right.answer,
    ...(left.ms !== undefined && { leftMs: left.ms }),
    ...(right.ms !== undefined && { rightMs: right.ms }),
    differences,
  };
}

/** The answer without ids, cursors and times, which differ from run to run. */
function comparable({ answer }: Exchange): unknown {
  return (withoutFree({ result: answer }, "server") as JsonObject).result;
}

function describe({ method, name }: Exchange): Pick<ComparedPair, "method" | "name"> {
  return { method, ...(name !== undefined && { name }) };
}
