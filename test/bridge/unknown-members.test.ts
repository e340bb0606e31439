import { fileURLToPath } from "node:url";
import { createMemoryPipe, servePipe } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { RawClient } from "allspeak/testing";
import { expect, it, onTestFinished } from "vitest";

const marked = { "acme/mark": 1 };
const program = fileURLToPath(new URL("fixtures/marked-server.mjs", import.meta.url));

const answers = {
  elicit: { action: "accept", content: {}, ...marked },
  sample: { role: "assistant", model: "m", content: { type: "text", text: "4", ...marked }, ...marked },
  roots: { roots: [{ uri: "file:///a", ...marked }], ...marked, _meta: marked },
};

it.each(Object.entries(answers))(
  "members that nobody knows cross a bridge in both directions, with the question %s and its answer",
  async (tool, answer) => {
    const bridge = await openBridge({ command: process.execPath, args: [program] });
    onTestFinished(() => bridge.close());
    const [near, far] = createMemoryPipe();
    servePipe(bridge.server, far);
    const client = new RawClient(near);
    const questions: unknown[] = [];
    client.onRequest = ({ params }) => {
      questions.push(params);
      return answer;
    };
    await client.result("initialize", {
      protocolVersion: "2025-11-25",
      clientInfo: { name: "raw", version: "1" },
      capabilities: { elicitation: {}, sampling: {}, roots: {} },
    });
    client.notify("notifications/initialized");
    const { tools } = await client.result("tools/list", {});
    expect(tools).toEqual(
      Object.keys(answers).map((name) => ({ name, inputSchema: { type: "object", ...marked }, ...marked })),
    );
    const result = await client.result("tools/call", { name: tool, arguments: {}, ...marked, _meta: marked });
    expect(result).toMatchObject({ ...marked, content: [marked] });
    const [{ text = "" } = {}] = result.content as { text?: string }[];
    expect(questions).toMatchObject([marked]);
    expect(JSON.parse(text)).toMatchObject({ answer, params: { ...marked, _meta: marked } });
  },
);
