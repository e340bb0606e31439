import { RpcError, type SamplingRequest, type SamplingResult } from "allspeak";
import { expect, it } from "vitest";
import { readJson, readText } from "../matrix/read-text.ts";
import { describeRevisions, type Opened } from "../matrix/revisions.ts";

const poem: SamplingResult = {
  role: "assistant",
  content: { type: "text", text: "Drip." },
  model: "poet-1",
  stopReason: "endTurn",
};

let requests: SamplingRequest[] = [];

async function ask({ client, wire }: Opened, tool: string) {
  requests = [];
  const result = await client.tools.call(tool);
  return { result, asked: wire.told("sampling/createMessage"), requests };
}

const text = (words: string) => ({ type: "text", text: words });

describeRevisions(
  "asking the model",
  ({ open, since, cantAsk }) => {
    it("gives the handler the client's completion", async () => {
      const { result, asked, requests } = await ask(await open(), "ask-model");
      expect(readText(result)).toBe("poet-1: Drip.");
      expect(asked).toHaveLength(1);
      expect(requests[0]).toMatchObject({ maxTokens: 10, systemPrompt: "Be brief." });
    });

    it("splits a message of several blocks where a message has one", async () => {
      const { asked } = await ask(await open(), "ask-model");
      expect(asked.map(({ messages }) => messages)).toEqual(
        since<unknown[]>({
          "2024-11-05": [
            [
              { role: "user", content: text("A poem") },
              { role: "user", content: text("on rain") },
            ],
          ],
          "2025-11-25": [[{ role: "user", content: [text("A poem"), text("on rain")] }]],
        }),
      );
    });

    it("lends the model tools where the revision and the client can", async () => {
      const { result, asked } = await ask(await open(), "ask-model-with-tools");
      if (since({ "2024-11-05": true, "2025-11-25": false })) {
        expect(result.isError).toBe(true);
        expect(readText(result)).toMatch(cantAsk);
        expect(asked).toEqual([]);
        return;
      }
      expect(readJson(result)).toEqual(text("Drip."));
      expect(asked[0]?.tools).toEqual([{ name: "rhyme", inputSchema: { type: "object" } }]);
    });
  },
  {
    connect: {
      capabilities: { sampling: { tools: {} } },
      sample: (request) => {
        requests.push(request);
        return poem;
      },
    },
  },
);

describeRevisions("asking the model of a client that can't", ({ open, since }) => {
  const hasOwnCode = () => since({ "2024-11-05": false, "2026-07-28": true });

  it("is refused before anything is sent", async () => {
    const { client, wire } = await open();
    const call = client.tools.call("ask-model");
    if (hasOwnCode()) {
      await expect(call).rejects.toMatchObject({
        wireCode: -32021,
        data: { requiredCapabilities: { sampling: {} } },
      });
    } else {
      const result = await call;
      expect(result.isError).toBe(true);
      expect(readText(result)).toContain('needs the capability "sampling"');
    }
    expect(wire.told("sampling/createMessage")).toEqual([]);
  });

  it("refuses a tool that needs it, naming the capability", async () => {
    const { client, wire } = await open();
    await expect(client.tools.call("needs-sampling")).rejects.toMatchObject({ code: "rpc" });
    expect(wire.error("tools/call")).toEqual({
      code: hasOwnCode() ? -32021 : -32600,
      message: 'Tool "needs-sampling" needs the capability "sampling", which the client does not declare.',
      data: { requiredCapabilities: { sampling: {} } },
    });
  });
});

describeRevisions(
  "asking the model of a host that refuses",
  ({ open }) => {
    it("rejects with the error that the host chose, on both sides", async () => {
      const { client } = await open();
      await expect(client.tools.call("ask-model")).rejects.toMatchObject({
        wireCode: -1,
        message: "User rejected sampling request",
      });
    });
  },
  {
    connect: {
      sample: () => {
        throw new RpcError(-1, "User rejected sampling request");
      },
    },
  },
);
