import { expect, test } from "vitest";
import { startProgram } from "../support/program.ts";

test.each(["./shop.mjs", "everything"])("allspeak subscribe %s watches until it is ended", async (target) => {
  const program = startProgram(["subscribe", target]);
  await program.shows("stderr", /Watching/);
  program.child.kill("SIGTERM");
  expect(await program.ended).toBe(143);
});
