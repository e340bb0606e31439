import { createServer, tool } from "allspeak";
import { type ConnectOptions, connect } from "allspeak/client";
import { expect, it } from "vitest";
import { z } from "zod";

const secret = "a secret of at least thirty-two characters";

/** A node: an outer server with secrets, and in it one without. */
function createNode() {
  const inner = createServer({
    name: "inner",
    version: "1",
    log: () => {},
    tools: [
      tool("greet", {}, async (_, ctx) => {
        const { content } = await ctx.elicit("name", "Your name?", z.object({ name: z.string() }));
        return `Hello, ${content?.name}!`;
      }),
    ],
  });
  const middle = createServer({ name: "middle", version: "1" });
  middle.mount("m", inner);
  const outer = createServer({ name: "outer", version: "1", secrets: [secret] });
  outer.mount("o", middle);
  return outer;
}

it("another node can go on with a call of a mounted server that has no secrets of its own", async () => {
  const options: ConnectOptions = { revisions: ["2026-07-28"], elicit: () => ({ action: "cancel" }) };
  await using first = await connect(createNode(), options);
  const { requestState } = await first.tools.call("o_m_greet", {}, { rounds: "manual" });
  await using second = await connect(createNode(), options);
  const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
  const result = await second.tools.call("o_m_greet", {}, { rounds: "manual", requestState, inputResponses });
  expect(result.content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
});
