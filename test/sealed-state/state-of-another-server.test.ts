import { randomBytes } from "node:crypto";
import { createServer, type Server, tool } from "allspeak";
import { expect, test } from "vitest";
import { sendTo } from "../support/manual-rounds.ts";

const secrets = [randomBytes(32).toString("base64")];
const word = { type: "object", properties: { word: { type: "string" } } } as const;

function createAsking(name: string, ran: string[], label = name): Server<unknown> {
  const confirm = tool("confirm", { description: "Asks" }, async (_args, ctx) => {
    ran.push(label);
    await ctx.elicit("sure", "Sure?", word);
    return `confirmed at ${label}`;
  });
  return createServer({ name, version: "1", tools: [confirm], secrets });
}

/** What comes of the state that one tool has given out when it is brought to another. */
async function exchange(from: Server<unknown>, asked: string, to: Server<unknown>, used: string) {
  const first = await sendTo(from, "tools/call", { name: asked });
  expect(first.result.resultType).toBe("input_required");
  return sendTo(to, "tools/call", {
    name: used,
    inputResponses: { sure: { action: "accept", content: {} } },
    requestState: first.result.requestState,
  });
}

test("a state is of no use at another server that has the same secrets and a tool of the same name", async () => {
  const ran: string[] = [];
  const answer = await exchange(createAsking("one", ran), "confirm", createAsking("two", ran), "confirm");
  expect(answer.error).toMatchObject({ code: -32602 });
  expect(ran).toEqual(["one"]);
});

test("a state is of no use at another server that is mounted beside", async () => {
  const ran: string[] = [];
  const outer = createServer({ name: "outer", version: "1", secrets });
  outer.mount("a", createAsking("one", ran));
  outer.mount("b", createAsking("two", ran));
  const answer = await exchange(outer, "a_confirm", outer, "b_confirm");
  expect(answer.error).toMatchObject({ code: -32602 });
  expect(ran).toEqual(["one"]);
});

test("a state is of no use at a server of the same name that is mounted elsewhere", async () => {
  const ran: string[] = [];
  const outer = createServer({ name: "outer", version: "1", secrets });
  outer.mount("a", createAsking("tenant", ran, "tenant a"));
  outer.mount("b", createAsking("tenant", ran, "tenant b"));
  const answer = await exchange(outer, "a_confirm", outer, "b_confirm");
  expect(answer.error).toMatchObject({ code: -32602 });
  expect(ran).toEqual(["tenant a"]);

  const back = await exchange(outer, "a_confirm", outer, "a_confirm");
  expect(back.result.content[0].text).toBe("confirmed at tenant a");
});
