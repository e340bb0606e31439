// Schemas of a server that is broken, or wants the command to break.
import { expect, test } from "vitest";
import { runCommand } from "./support/run-command.ts";

const target = `${process.execPath} odd-schemas.mjs`;
const leftOut =
  'problem: Left out 1 of 1: prompts/list: prompts[0] "odd-prompt".arguments[0].name must be a string.\n';

test.each([["list", "--long"], ["list", "--json"], ["types"], ["doctor", "--json"]])(
  "%s shows a server with such schemas",
  async (verb, ...options) => {
    const { code, stdout, stderr } = await runCommand([verb, target, ...options]);
    // The doctor has a place of its own for what is wrong.
    expect(stderr).toBe(verb === "doctor" ? "" : leftOut);
    // The doctor ends with 1: something is wrong, indeed.
    expect(code).toBe(verb === "doctor" ? 1 : 0);
    for (const name of ["encoded", "endless", "required", "listed", "values", "bomb", "choices"])
      expect(stdout).toContain(name);
    expect(stdout.length).toBeLessThan(1_000_000);
  },
);

test("list shows numbers and objects in the place of texts, and says what it left out", async () => {
  const { code, stdout, stderr } = await runCommand(["list", target]);
  expect(code).toBe(0);
  expect(stdout).toContain("odd:resource 7");
  expect(stderr).toBe(leftOut);
});

test.each(["encoded", "required", "listed", "values", "bomb", "choices"])(
  "call reads arguments by the schema %s as far as it can",
  async (tool) => {
    const { code, stderr } = await runCommand(["call", target, tool, 'a:={"p1":{}}']);
    // The value fits, or is refused: a schema is never a fault of the command.
    expect([0, 2]).toContain(code);
    expect(stderr).not.toMatch(/a fault of allspeak|\n {4}at /);
  },
);
