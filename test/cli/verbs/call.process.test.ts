import { expect, test } from "vitest";
import { startProgram } from "../support/program.ts";

test.each([0, 7])("a tool of a module that ends the process with %s has failed", async (code) => {
  const { ended, output } = startProgram(["call", "./exits-in-call.mjs", "die", `code=${code}`]);
  expect([await ended, output]).toEqual([
    1,
    {
      stdout: "",
      stderr: `error: ./exits-in-call.mjs ended the process with ${code} before it had answered.\nA handler must not call process.exit: let it throw an error.\n`,
    },
  ]);
});
