import { canonicalJson } from "../../lib/encoding/canonical-json.ts";
import type { ComparedPair, Comparison } from "../messages/recording.ts";
import { findDifferences } from "../revisions/differences.ts";
import type { Exchange } from "./transcript.ts";

/** Compares two runs: an exchange is paired with the next one of the other run that asks for the same. */
export function compareExchanges(left: readonly Exchange[], right: readonly Exchange[]): Comparison {
  const unpaired = [...right];
  const pairs = left.map((exchange): ComparedPair => {
    const place = findSame(exchange, unpaired);
    if (place < 0)
      return { ...describe(exchange), state: "only-left", left: exchange.answer, differences: [] };
    const [other] = unpaired.splice(place, 1);
    return toPair(exchange, other as Exchange);
  });
  const rest = unpaired.map(
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

/** One with the same params, else one that names the same target. */
function findSame({ method, name, params }: Exchange, others: readonly Exchange[]): number {
  const text = canonicalJson(params);
  const isAlike = (other: Exchange) => other.method === method && other.name === name;
  const same = others.findIndex((other) => isAlike(other) && canonicalJson(other.params) === text);
  return same >= 0 ? same : others.findIndex(isAlike);
}

function toPair(left: Exchange, right: Exchange): ComparedPair {
  const differences = findDifferences(left.answer, right.answer);
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

function describe({ method, name }: Exchange): Pick<ComparedPair, "method" | "name"> {
  return { method, ...(name !== undefined && { name }) };
}
