import { expect, it } from "vitest";
import { readText } from "../matrix/read-text.ts";
import { describeRevisions } from "../matrix/revisions.ts";

const message = "A result that asks for another round does not exist in revision";

describeRevisions(
  "asking by an unfinished result",
  ({ open, revision }) => {
    const hasRounds = revision === "2026-07-28";

    it("is answered and sent again until the result is complete", async () => {
      const { client, wire } = await open();
      const call = client.tools.call("ask-rounds");
      if (!hasRounds) {
        await expect(call).rejects.toMatchObject({ wireCode: -32603, message: `${message} ${revision}.` });
        return;
      }
      expect(readText(await call)).toBe("4 seats, round one");
      const [first, second] = wire.sent.filter(({ method }) => method === "tools/call");
      expect(first?.params).not.toHaveProperty("inputResponses");
      expect(second?.params).toMatchObject({
        name: "ask-rounds",
        requestState: expect.any(String),
        inputResponses: { booking: { action: "accept", content: { seats: 4 } } },
      });
      expect(second?.id).not.toBe(first?.id);
      expect(JSON.stringify(second)).not.toContain("round one");
      expect(wire.received.find(({ id }) => id === first?.id)?.result).toMatchObject({
        resultType: "input_required",
        requestState: expect.any(String),
        inputRequests: { booking: { method: "elicitation/create" } },
      });
    });

    it("works for prompts too", async () => {
      const { client } = await open();
      const getting = client.prompts.get("ask-rounds");
      if (hasRounds) {
        expect((await getting).messages).toEqual([
          { role: "user", content: { type: "text", text: "A table for 4" } },
        ]);
      } else {
        await expect(getting).rejects.toMatchObject({ wireCode: -32603, message: `${message} ${revision}.` });
      }
    });

    it("is refused to a client that can't answer", async () => {
      const { client } = await open({ capabilities: {}, elicit: undefined as never });
      const call = client.tools.call("ask-rounds");
      if (hasRounds) {
        await expect(call).rejects.toMatchObject({
          wireCode: -32021,
          data: { requiredCapabilities: { elicitation: {} } },
        });
      } else {
        await expect(call).rejects.toMatchObject({ wireCode: -32603, message: `${message} ${revision}.` });
      }
    });
  },
  { connect: { elicit: () => ({ action: "accept", content: { seats: 4 } }) } },
);
