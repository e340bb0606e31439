import { createServer, tool } from "allspeak";
import { connect } from "allspeak/client";
import { expect, it } from "vitest";
import { z } from "zod";

const server = createServer({
  name: "s",
  version: "1",
  tools: [
    tool("greet", { input: { greeting: z.string() } }, async ({ greeting }, ctx) => {
      const { content } = await ctx.elicit("name", "Your name?", z.object({ name: z.string() }));
      return `${greeting}, ${content?.name}!`;
    }),
  ],
});

it("a host may answer what a tool asks by itself, and call again", async () => {
  const elicit = () => {
    throw new Error("must not be asked");
  };
  await using client = await connect<typeof server>(server, { elicit });
  const args = { greeting: "Hello" };
  const asked = await client.tools.call("greet", args, { rounds: "manual" });
  expect(asked).toMatchObject({
    content: [],
    inputRequests: { name: { method: "elicitation/create", params: { message: "Your name?" } } },
    requestState: expect.any(String),
  });
  const { requestState } = asked;
  const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
  const done = await client.tools.call("greet", args, { rounds: "manual", requestState, inputResponses });
  expect(done.content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
  expect(done.inputRequests).toBeUndefined();
});
