import { expect, test } from "vitest";
import { openClient } from "../support/open-client.ts";
import { discoverServer } from "../support/scripted-server.ts";

test("a prompt gives its messages, and leaves out those that are none", async () => {
  const problems: Error[] = [];
  const messages = [
    { role: "user", content: { type: "text", text: "Review this." } },
    { role: "system", content: { type: "text", text: "?" } },
  ];
  const server = discoverServer({ script: { "prompts/get": () => ({ description: "d", messages }) } });
  const client = await openClient(server, { onProblem: (problem) => problems.push(problem) });
  expect(await client.prompts.get("review", { language: "ts" })).toEqual({
    description: "d",
    messages: [messages[0]],
  });
  expect(server.line.paramsOf("prompts/get")[0]).toMatchObject({
    name: "review",
    arguments: { language: "ts" },
  });
  expect(problems.length).toBe(1);
});
