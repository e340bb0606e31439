import { expect, test } from "vitest";
import { compareExchanges } from "../../../src/inspector/recordings/comparison.ts";
import { type Exchange, toExchanges } from "../../../src/inspector/recordings/transcript.ts";
import { workOf } from "../support/work.ts";

test("the work to compare two recordings grows no faster than they do", () => {
  const few = workOf(() => compareReversed(200));
  // Eight times the calls are 64 times the work where it grows with the square.
  expect(workOf(() => compareReversed(1_600))).toBeLessThan(24 * few);
});

test("an exchange is paired with the first of the same params, else with the first of the same target", () => {
  const [one, two, three] = [1, 2, 3].map(toCall) as [Exchange, Exchange, Exchange];
  const { pairs } = compareExchanges([three, toCall(9), toCall(8), toCall(7)], [one, two, three]);
  expect(pairs.map(({ state, right }) => [state, right])).toEqual([
    ["same", 3],
    ["different", 1],
    ["different", 2],
    ["only-left", undefined],
  ]);
});

function toCall(i: number): Exchange {
  return { method: "tools/call", name: "t", params: { name: "t", arguments: { i } }, answer: i };
}

function compareReversed(calls: number): void {
  const entries = Array.from({ length: calls }, (_, id) => [
    {
      at: id,
      from: "client" as const,
      message: { jsonrpc: "2.0", id, method: "tools/call", params: { name: "t", arguments: { id } } },
    },
    { at: id, from: "server" as const, message: { jsonrpc: "2.0", id, result: { content: [] } } },
  ]).flat();
  const exchanges = toExchanges({ version: 1, startedAt: "", transport: { kind: "stdio" }, entries });
  expect(compareExchanges(exchanges, exchanges.toReversed())).toMatchObject({ same: calls });
}
