import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("fixtures/question-awaited-later.mjs", import.meta.url));
const run = (...args: string[]) => spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });

it("a question that is made now and awaited later is answered, and does not end the process", () => {
  expect(run()).toMatchObject({ status: 0, stdout: "accept\n" });
});

it("other rejections that nobody handles still end the process", () => {
  const { status, stdout, stderr } = run("--then-fail");
  expect({ status, stdout }).toEqual({ status: 1, stdout: "accept\n" });
  expect(stderr).toContain("of the host");
});
