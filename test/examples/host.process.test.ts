import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const main = fileURLToPath(new URL("../../build/examples/host/main.js", import.meta.url));

it("the host gives a scripted model the tools of a file, asks for consent, and checks the outcome", async () => {
  const child = spawn(process.execPath, [main], { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      printed += chunk;
    });
  const [code] = await once(child, "close");
  expect(code, printed).toBe(0);
  expect(printed).toContain("All as expected.");
});
