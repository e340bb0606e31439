import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("../../build/examples/login/main.js", import.meta.url));

it("the example of a client that logs in needs one login for two visits", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  expect(stdout).toContain("callback: ok");
  expect(stdout).toContain("stored-token: ok");
});
