import { randomBytes } from "node:crypto";
import { createServer, tool } from "allspeak";
import { expect, test } from "vitest";
import { hurry } from "../support/hurry.ts";
import { sendTo } from "../support/manual-rounds.ts";
import { turns } from "../support/turns.ts";

const word = { type: "object", properties: { word: { type: "string" } } } as const;
const answered = { action: "accept", content: { word: "yes" } };
const secrets = [randomBytes(32).toString("base64")];

test("a question that comes later in one run than in the run before is not taken for one that is gone", async () => {
  let runs = 0;
  const slow = tool("slow", { description: "Asks" }, async (_args, ctx) => {
    const late = runs++ === 0 ? 0 : 20;
    await Promise.all([
      // A cache that the first node had and the second has not.
      turns(late).then(() => ctx.elicit("late", "Late?", word)),
      ctx.elicit("first", "First?", word).then(() => ctx.elicit("second", "Second?", word)),
    ]);
    return "done";
  });
  const server = createServer({ name: "asks", version: "1", tools: [slow], secrets });
  const params = { name: "slow" };
  const first = await sendTo(server, "tools/call", params);
  expect(Object.keys(first.result.inputRequests).sort()).toEqual(["first", "late"]);

  const second = await sendTo(server, "tools/call", {
    ...params,
    inputResponses: { first: answered, late: answered },
    requestState: first.result.requestState,
  });
  expect(second.result).toMatchObject({ resultType: "input_required" });
  expect(Object.keys(second.result.inputRequests)).toEqual(["second"]);

  const third = await sendTo(server, "tools/call", {
    ...params,
    inputResponses: { second: answered },
    requestState: second.result.requestState,
  });
  expect(third.result).toMatchObject({ content: [{ text: "done" }] });
});

test("a question that has another name in each run is refused by its name", async () => {
  hurry();
  let runs = 0;
  const fickle = tool("fickle", { description: "Asks" }, async (_args, ctx) => {
    await ctx.elicit(`name-${runs++}`, "Name?", word);
    return "done";
  });
  const server = createServer({ name: "asks", version: "1", tools: [fickle], secrets, log: () => {} });
  const first = await sendTo(server, "tools/call", { name: "fickle" });
  const second = await sendTo(server, "tools/call", {
    name: "fickle",
    inputResponses: { "name-0": answered },
    requestState: first.result.requestState,
  });
  expect(second.result).toMatchObject({ isError: true });
  expect(second.result.content[0].text).toContain(
    'The question "name-0" of an earlier round was not asked again',
  );
});
