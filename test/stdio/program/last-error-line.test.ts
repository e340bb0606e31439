import { describe, expect, test } from "vitest";
import { connect } from "../../../src/client.ts";
import { ProcessError } from "../../../src/errors.ts";
import { failure } from "../../support/open-client.ts";

const startFailing = (script: string) =>
  failure(connect({ command: process.execPath, args: ["-e", script], stderr: "pipe" }));

describe("the error of a child that ends at once", () => {
  test("has its last line on stderr", async () => {
    const error = await startFailing(
      `process.stderr.write("starting\\nboom: DB_URL missing\\n", () => process.exit(3))`,
    );
    expect(error).toBeInstanceOf(ProcessError);
    expect(error.message).toMatch(/ exited with code 3: boom: DB_URL missing \(/);
    expect(error).toMatchObject({ exitCode: 3, stderr: ["starting", "boom: DB_URL missing"] });
  });

  test("has what was thrown, not the frames and the version that follow it", async () => {
    const error = await startFailing(`throw new RangeError("boom: DB_URL missing")`);
    expect(error.message).toMatch(/ exited with code 1: RangeError: boom: DB_URL missing \(/);
  });

  test("has what was thrown, whatever stands before it and however much follows it", async () => {
    const error = await startFailing(`
      const lines = ["Fatal error: Error: Could not locate the bindings file. Tried:", "    at main (x.js:1:2) {", "  tries: ["];
      for (let at = 0; at < 40; at++) lines.push("    'folder/" + at + "',");
      process.stderr.write([...lines, "  ]", "}"].join("\\n"), () => process.exit(1));`);
    expect(error.message).toContain(": Fatal error: Error: Could not locate the bindings file. Tried: (");
  });

  test("stays one short line without control characters", async () => {
    const error = await startFailing(
      `process.stderr.write("\\x1b[31mred\\x1b[0m\\t" + "x".repeat(5000) + "\\r\\n", () => process.exit(1))`,
    );
    expect(error.message).toMatch(/: red x+… \(/);
    expect(error.message.length).toBeLessThan(500);
  });

  test("says nothing of stderr when there was nothing", async () => {
    expect((await startFailing("process.exit(4)")).message).toMatch(/ exited with code 4\.$/);
  });
});

test("what a child that is started twice writes to stderr twice is shown once", async () => {
  const lines: string[] = [];
  const script = `process.stderr.write("starting\\nboom\\n", () => process.exit(3))`;
  const error = await failure(
    connect({ command: process.execPath, args: ["-e", script], stderr: (line) => lines.push(line) }),
  );
  expect(lines).toEqual(["starting", "boom"]);
  expect(error).toMatchObject({ stderr: ["starting", "boom"] });
});
