import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

function soak(...args: readonly string[]) {
  const all = ["scripts/run.js", "test/chaos/soak.ts", ...args];
  return spawnSync(process.execPath, all, { cwd: root, encoding: "utf8" });
}

it("npm run soak -- --help shows how it is used", () => {
  const { status, stdout } = soak("--help");
  expect(stdout).toMatch(/^npm run soak .*\nnpm run soak -- --backend/);
  expect(status).toBe(0);
});

it.each([
  { args: ["--nothing"], problem: "Unknown option '--nothing'" },
  { args: ["--backend", "mysql"], problem: 'There is no backend "mysql": choose one of redis,' },
])("npm run soak refuses $args with the usage, and no stack", ({ args, problem }) => {
  const { status, stderr } = soak(...args);
  expect(stderr).toContain(problem);
  expect(stderr).toContain("npm run soak -- --replay FILE");
  expect(stderr).not.toContain("    at ");
  expect(status).toBe(2);
});
