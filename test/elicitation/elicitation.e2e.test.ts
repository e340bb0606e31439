import type { ElicitRequest, ElicitResult } from "allspeak";
import { expect, it } from "vitest";
import { readJson, readText } from "../matrix/read-text.ts";
import { describeRevisions, type Opened, type Place } from "../matrix/revisions.ts";

type Answer = (ask: ElicitRequest) => ElicitResult;

let answer: Answer = () => ({ action: "cancel" });

/** Calls a tool that asks, answers it, and tells what the tool said and what was asked. */
async function ask({ client, wire }: Opened, tool: string, given: Answer = () => ({ action: "cancel" })) {
  answer = given;
  const result = await client.tools.call(tool);
  return { result, asked: wire.told("elicitation/create") };
}

const noAsking = (what: string, { cantAsk }: Place) => ({
  isError: true,
  content: [{ type: "text", text: expect.stringMatching(`^${what}.*${cantAsk.source}`) }],
});

const requestedSchema = {
  type: "object",
  properties: {
    seats: expect.objectContaining({ type: "integer", minimum: 1 }),
    name: expect.objectContaining({ type: "string" }),
    window: { type: "boolean" },
  },
  required: ["seats"],
};

/** Whether handlers can ask with a form in the middle of a call. */
const canAsk = ({ since }: Place) => since({ "2024-11-05": false, "2025-06-18": true });

describeRevisions(
  "asking the user",
  (place) => {
    const { open, since } = place;

    it("puts a form to the user and gives the handler the checked answer", async () => {
      const { result, asked } = await ask(await open(), "ask-form", () => ({
        action: "accept",
        content: { seats: 2, window: true },
      }));
      if (!canAsk(place)) {
        expect(result).toMatchObject(noAsking('Asking "booking"', place));
        expect(asked).toEqual([]);
        return;
      }
      expect(readJson(result)).toEqual({
        action: "accept",
        content: { seats: 2, name: "nobody", window: true },
      });
      const form = { message: "How many seats?", requestedSchema };
      expect(asked).toEqual([since<object>({ "2025-06-18": form, "2025-11-25": { mode: "form", ...form } })]);
    });

    it.each(["decline", "cancel"] as const)("takes %s for an answer", async (action) => {
      const { result } = await ask(await open(), "ask-form", () => ({ action }));
      if (canAsk(place)) expect(readJson(result)).toEqual({ action });
      else expect(result).toMatchObject(noAsking('Asking "booking"', place));
    });

    it("puts choices into the words of the revision", async () => {
      const { result, asked } = await ask(await open(), "ask-choices", () => ({
        action: "accept",
        content: { colour: "blue", count: 2, window: false },
      }));
      if (!canAsk(place)) return expect(result).toMatchObject(noAsking('Asking "choices"', place));
      expect(readJson(result)).toEqual({
        action: "accept",
        content: { colour: "blue", count: 2, window: false },
      });
      expect(asked[0]?.requestedSchema).toEqual({
        type: "object",
        properties: since<object>({
          "2025-06-18": {
            colour: { type: "string", enum: ["red", "blue"], enumNames: ["RED", "BLUE"] },
            count: { type: "integer" },
            window: { type: "boolean", default: true },
          },
          "2025-11-25": {
            colour: {
              type: "string",
              oneOf: [
                { const: "red", title: "RED" },
                { const: "blue", title: "BLUE" },
              ],
              default: "red",
            },
            count: { type: "integer", default: 1 },
            window: { type: "boolean", default: true },
          },
        }),
      });
    });

    it("lets the user choose several where the revision has that", async () => {
      const { result, asked } = await ask(await open(), "ask-several", () => ({
        action: "accept",
        content: { colours: ["red", "blue"] },
      }));
      if (since({ "2024-11-05": false, "2025-11-25": true })) {
        expect(readJson(result)).toEqual({ action: "accept", content: { colours: ["red", "blue"] } });
        return;
      }
      expect(result).toMatchObject(noAsking('Asking (?:"several"|the user to choose several)', place));
      expect(asked).toEqual([]);
    });

    it("takes the fallback where the user can't be asked", async () => {
      const { result, asked } = await ask(await open(), "ask-form-or");
      expect(readJson(result)).toEqual({ action: canAsk(place) ? "cancel" : "decline" });
      expect(asked).toHaveLength(canAsk(place) ? 1 : 0);
    });

    it("asks the user to visit a page where the revision has that", async () => {
      const { result, asked } = await ask(await open(), "ask-visit", () => ({ action: "accept" }));
      if (since({ "2024-11-05": true, "2025-11-25": false })) {
        expect(result).toMatchObject(noAsking('Asking (?:"pay"|the user to visit a URL)', place));
        expect(asked).toEqual([]);
        return;
      }
      expect(readJson(result)).toEqual({ action: "accept" });
      expect(asked).toEqual([
        {
          mode: "url",
          message: "Please pay",
          url: "https://example.com/pay",
          ...since<object>({ "2025-11-25": { elicitationId: expect.any(String) }, "2026-07-28": {} }),
        },
      ]);
    });
  },
  { connect: { elicit: (given) => answer(given) } },
);

describeRevisions("asking the user of a client that can't", (place) => {
  const { open, since } = place;

  it("is an error that the tool tells the model, and nothing is sent", async () => {
    const opened = await open();
    const call = opened.client.tools.call("ask-form");
    if (since({ "2024-11-05": false, "2026-07-28": true })) {
      await expect(call).rejects.toMatchObject({
        wireCode: -32021,
        data: { requiredCapabilities: { elicitation: {} } },
      });
      return;
    }
    const result = await call;
    expect(result.isError).toBe(true);
    expect(readText(result)).toEqual(
      since<unknown>({
        "2024-11-05": expect.stringMatching(place.cantAsk),
        "2025-06-18":
          'Asking "booking" by elicitation/create needs the capability "elicitation", which the client does not declare.',
      }),
    );
    expect(opened.wire.told("elicitation/create")).toEqual([]);
  });

  it("takes the fallback", async () => {
    const { client } = await open();
    expect(readJson(await client.tools.call("ask-form-or"))).toEqual({ action: "decline" });
  });
});
