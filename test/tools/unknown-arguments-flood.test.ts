import { createServer } from "allspeak";
import { connect } from "allspeak/client";
import { expect, test } from "vitest";

const input = { type: "object", properties: { location: { type: "string" } }, required: ["location"] };
const flood = Object.fromEntries(
  Array.from({ length: 20_000 }, (_, at) => [`locatio${at}${"n".repeat(50)}`, 1]),
);

test.each(["ignore", "refuse"] as const)(
  "thousands of unknown arguments get no more than a few hints (%s)",
  async (unknownArguments) => {
    const server = createServer({ name: "test", version: "1.0.0", unknownArguments });
    server.tool("weather", { input }, () => "fine");
    const client = await connect(server);

    const { content, isError } = await client.tools.call("weather", flood);

    expect(isError).toBe(true);
    const [answer] = content;
    const text = answer?.type === "text" ? answer.text : "";
    expect(text).toContain("is not an argument");
    expect(text.split("\n").length).toBeLessThan(50);
    await client.close();
  },
);

test("the name of an unknown argument is repeated only in part", async () => {
  const server = createServer({ name: "test", version: "1.0.0", unknownArguments: "refuse" });
  server.tool("weather", { input }, () => "fine");
  const client = await connect(server);

  const { content } = await client.tools.call("weather", { location: "Oslo", ["x".repeat(100_000)]: 1 });

  expect(JSON.stringify(content).length).toBeLessThan(1_000);
  await client.close();
});
