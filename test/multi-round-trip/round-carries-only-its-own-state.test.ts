import { expect, test } from "vitest";
import { openClient } from "../support/open-client.ts";
import { discoverServer } from "../support/scripted-server.ts";

test("a state that a host gave along is not sent again in a round that has none", async () => {
  const results = [
    { resultType: "input_required", inputRequests: { where: { method: "roots/list" } } },
    { resultType: "input_required", requestState: "second" },
    { resultType: "complete", content: [] },
  ];
  const server = discoverServer({ script: { "tools/call": () => results.shift() } });
  const client = await openClient(server, { roots: [] });
  await client.tools.call(
    "book",
    {},
    { requestState: "first", inputResponses: { who: { action: "decline" } } },
  );
  const rounds = server.line
    .paramsOf("tools/call")
    .map(({ requestState, inputResponses }) => ({ requestState, inputResponses }));
  expect(rounds).toEqual([
    { requestState: "first", inputResponses: { who: { action: "decline" } } },
    { inputResponses: { where: { roots: [] } } },
    { requestState: "second" },
  ]);
});
