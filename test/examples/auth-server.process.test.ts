import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("../../build/examples/auth-server/main.js", import.meta.url));

it("the example of a server behind oidc-provider does what it says", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  expect(stdout).toContain("without a token: 401 Bearer resource_metadata=");
  expect(stdout).toContain("Orders of reporter");
  expect(stdout).toContain("Access needs the scopes: orders:write");
  expect(stdout).toContain("Cancelled");
});
