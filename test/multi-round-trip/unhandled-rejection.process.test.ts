import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const program = fileURLToPath(new URL("fixtures/unhandled-rejection.mjs", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(root, "dist");

/** The folders of two copies of the package, of which one lasts as long as the test. */
function createCopies(): readonly string[] {
  const copy = createTemporaryFolder();
  cpSync(dist, join(copy, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(copy, "package.json"));
  return [dist, join(copy, "dist")];
}

function run(flags: readonly string[], args: readonly string[], nodeOptions = "") {
  const env = { ...process.env, NODE_OPTIONS: nodeOptions };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, program, ...args], {
    encoding: "utf8",
    env,
  });
  return { status, stdout, isReported: /of the host|a text/.test(stderr) };
}

const flag = (mode: string) => `--unhandled-rejections=${mode}`;

test.each([
  { flags: [], args: ["error"] },
  { flags: [], args: ["text"] },
  { flags: [], args: ["error", "--catch"] },
  { flags: [], args: ["text", "--catch"] },
  { flags: [], args: ["error", "--once"] },
  { flags: [flag("none")], args: ["error", "--catch"] },
  { flags: ["--unhandled-rejections", "none"], args: ["text"] },
  { flags: [flag("warn")], args: ["error"] },
  { flags: [flag("warn-with-error-code")], args: ["error"] },
])("a rejection of the host ends as without this package ($flags, $args)", ({ flags, args }) => {
  expect(run(flags, [...args, dist])).toEqual(run(flags, args));
});

test("two copies of the package in one process do not swallow it", () => {
  const expected = run([], ["error"]);
  expect(expected).toEqual({ status: 1, stdout: "exit 1\n", isReported: true });
  expect(run([], ["error", ...createCopies()])).toEqual(expected);
});

test("NODE_OPTIONS sets the mode, and the command line has the last word", () => {
  expect(run([], ["error", dist], flag("none"))).toEqual(run([], ["error"], flag("none")));
  const both = [flag("throw")];
  expect(run(both, ["error", dist], flag("none"))).toEqual(run(both, ["error"], flag("none")));
});
