import { expect, test } from "vitest";
import { connect } from "../../../src/client.ts";
import { TimeoutError } from "../../../src/errors.ts";
import { failure } from "../../support/open-client.ts";

/** A program that writes lines which are no messages, as fast as they are read. */
const flood = {
  command: process.execPath,
  args: [
    "-e",
    'const lines = "y\\n".repeat(32_768); for (;;) try { require("node:fs").writeSync(1, lines); } catch (error) { if (error.code !== "EAGAIN") throw error; }',
  ],
  shutdown: { closeMs: 0, termMs: 0 },
};

test("a program that floods stdout leaves turns to timers, and a bounded number of reports", async () => {
  const problems: string[] = [];
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const error = await failure(
    connect(flood, { openTimeout: 1_000, onProblem: ({ message }) => problems.push(message) }),
  );
  clearInterval(timer);
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error).toMatchObject({ ms: 1_000, limit: "total" });
  expect(turns).toBeGreaterThan(10);
  await expect.poll(() => problems.length).toBe(11);
  expect(problems[0]).toBe("Skipped output that is not a message: y");
  expect(problems[10]).toMatch(/^Skipped output that is not a message: \d+ more lines after the first 10$/);
});
