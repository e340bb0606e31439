import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OfficialClient } from "../official-client.ts";
import { testAsks } from "./asks.ts";
import { testChanges } from "./changes.ts";
import { testPrompts } from "./prompts.ts";
import { testResources } from "./resources.ts";
import type { Talk } from "./talk.ts";
import { testTools } from "./tools.ts";

/** Tests our server with an official client, in each revision that the client speaks. */
export function describeOurServer(
  who: string,
  revisions: readonly string[],
  connect: (revision: string) => Promise<OfficialClient>,
): void {
  describe.each(revisions)(`${who} and our server in %s`, (revision) => {
    let official: OfficialClient;
    beforeAll(async () => {
      official = await connect(revision);
    });
    afterAll(() => official.client.close());

    const talk: Talk = { revision, since: (other) => revision >= other, official: () => official };
    testOpening(talk);
    testTools(talk);
    testResources(talk);
    testPrompts(talk);
    testAsks(talk);
    testChanges(talk);

    // Stays last, so that it speaks for everything that was said before.
    test("nothing came that the official client could not read", () => {
      expect(official.problems).toEqual([]);
    });
  });
}

function testOpening({ revision, since, official }: Talk): void {
  test("each learns who the other is and what it can do", async () => {
    const { client, call } = official();
    expect(client.getServerVersion()).toEqual({
      name: "allspeak-fixture",
      version: "1.2.3",
      ...(since("2025-06-18") && { title: "The fixture" }),
    });
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      ...(since("2025-03-26") && { completions: {} }),
      logging: {},
    });
    expect(client.getInstructions()).toBe("Call anything.");

    const { content } = await call("whoami");
    const [{ text }] = content as [{ text: string }];
    expect(JSON.parse(text)).toEqual({
      name: expect.stringMatching(/^official-v[12]$/),
      revision,
      capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
    });
  });
}
