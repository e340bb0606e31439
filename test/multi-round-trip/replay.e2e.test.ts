import type { JsonObject, SamplingRequest } from "allspeak";
import type { ConnectOptions } from "allspeak/client";
import { describe, expect, it } from "vitest";
import { readJson, readText } from "../matrix/read-text.ts";
import { describeRevisions } from "../matrix/revisions.ts";

/** Answers every question with itself. */
function echo({ messages }: SamplingRequest) {
  const content = messages[0]?.content;
  const text = content && "text" in content ? content.text : "?";
  return { role: "assistant", model: "echo", content: { type: "text", text: `<${text}>` } } as const;
}

const connect: ConnectOptions = { sample: echo, elicit: () => ({ action: "accept", content: {} }) };

describeRevisions(
  "asking in a straight line",
  ({ name: place, open, since }) => {
    const rounds = (count: number) => since({ "2024-11-05": 1, "2026-07-28": count });

    for (const [where, prefix, scheme] of [
      ["here", "", "here"],
      ["in a mounted server", "inner_", "there"],
    ] as const) {
      describe(where, () => {
        it.each([
          ["ask-once", "<first>", 2],
          ["ask-thrice-at-once", "<a> <b> <c>", 2],
          ["ask-in-turns", "<first>, then <after <first>>", 3],
          ["ask-without-names", "<one> <two> <two>", 4],
          ["ask-in-a-loop", "<round 0> <round 1> <round 2> <round 3>", 5],
          ["ask-and-go-on", "<first>", 2],
          ["do-nothing-once", "undefined", 2],
        ])("%s", async (name, words, calls) => {
          const { client, wire } = await open();
          expect(readText(await client.tools.call(prefix + name))).toBe(words);
          const sent = wire.sent.filter(({ method }) => method === "tools/call");
          expect(sent).toHaveLength(rounds(calls));
          expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length);
        });

        it("does once what is to be done once", async () => {
          const { client } = await open();
          const name = `${place} ${where}`;
          expect(readText(await client.tools.call(`${prefix}do-then-ask`, { name }))).toBe(
            "1 <first> 1 <second>",
          );
          // Another call is another once.
          expect(readText(await client.tools.call(`${prefix}do-then-ask`, { name }))).toBe(
            "2 <first> 2 <second>",
          );
        });

        it("cleans up after every run", async () => {
          const { client } = await open();
          const name = `${place} ${where}`;
          await client.tools.call(`${prefix}ask-and-clean-up`, { name });
          const count = await client.tools.call(`${prefix}count`, { name: `${name} cleaned` });
          expect(readText(count)).toBe(String(rounds(2)));
        });

        it("works for prompts and resources, too", async () => {
          const { client, wire } = await open();
          expect((await client.prompts.get(`${prefix}asked`)).messages).toMatchObject([
            { content: { text: "prompt: <first>" } },
          ]);
          expect((await client.resources.read(`${scheme}://asked`)).contents).toMatchObject([
            { text: "resource: <first>" },
          ]);
          // An unfinished result is not for caches.
          const unfinished = wire.received
            .map(({ result }) => result as JsonObject)
            .filter((result) => result?.resultType === "input_required");
          expect(unfinished).toHaveLength(since({ "2024-11-05": 0, "2026-07-28": 2 }));
          for (const result of unfinished) expect(Object.keys(result)).not.toContain("ttlMs");
        });
      });
    }

    it.each(["decline", "cancel"] as const)("takes %s for an answer", async (action) => {
      const { client } = await open({ ...connect, elicit: () => ({ action }) });
      const result = await client.tools.call("ask-the-user");
      if (since({ "2024-11-05": true, "2025-06-18": false })) expect(result.isError).toBe(true);
      else expect(readJson(result)).toEqual({ action });
    });

    it("fills in what the user left to the form", async () => {
      const { client } = await open();
      const result = await client.tools.call("ask-the-user");
      if (since({ "2024-11-05": true, "2025-06-18": false })) expect(result.isError).toBe(true);
      else expect(readJson(result)).toEqual({ action: "accept", content: { name: "nobody" } });
    });

    it("goes on with the fallback, or says what is missing, where the client can't be asked", async () => {
      const { client: silent } = await open({ ...connect, sample: undefined });
      expect(readText(await silent.tools.call("ask-and-go-on"))).toBe("nobody");
      const call = silent.tools.call("ask-once");
      if (since({ "2024-11-05": true, "2026-07-28": false }))
        expect(readText(await call)).toContain('needs the capability "sampling"');
      else
        await expect(call).rejects.toMatchObject({
          wireCode: -32021,
          message: expect.stringContaining("Connect with the option sample to declare it."),
          data: { requiredCapabilities: { sampling: {} } },
        });
    });
  },
  { fixture: "straight-line", connect },
);
