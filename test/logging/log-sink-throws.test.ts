import { createServer, type LogSink } from "allspeak";
import { connect } from "allspeak/client";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => vi.restoreAllMocks());

const brokenLogs: readonly [string, LogSink][] = [
  [
    "throws",
    () => {
      throw new Error("no space left");
    },
  ],
  ["rejects", () => Promise.reject(new Error("no space left"))],
];

test.each(brokenLogs)("a log that %s costs no call its answer, and the entry is not lost", async (_, log) => {
  const shown = vi.spyOn(console, "error").mockImplementation(() => {});
  const server = createServer({ name: "test", version: "1.0.0", log });
  server.tool("fail", {}, () => {
    throw new Error("the cause");
  });
  const client = await connect(server);

  const { content } = await client.tools.call("fail");

  expect(content).toEqual([{ type: "text", text: expect.stringMatching(/^Internal error \(ref \w+\)$/) }]);
  expect(shown).toHaveBeenCalledWith(
    expect.stringContaining('Tool "fail" failed'),
    expect.objectContaining({ message: "the cause" }),
  );
  await client.close();
});
