// Programs that use what was built.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { hasPostgres, ownPrefix, url } from "./support.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

async function runProgram(source: string): Promise<{ output: string; code: unknown }> {
  const args = ["--input-type=module", "--eval", source];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return { output, code };
}

describe.skipIf(!hasPostgres)("a program with a PostgreSQL state", () => {
  it("ends when it has nothing else to do, though the state is open and watched", async () => {
    const { output, code } = await runProgram(`
      import { postgres } from "allspeak/state/postgres";
      const state = postgres("${url}", { prefix: "${ownPrefix()}" });
      await new Promise((resolve) => {
        state.events.watch("stream", resolve);
        void state.events.append("stream", ["x"], 60_000);
      });
      console.log((await state.events.after("stream", "0")).length);
    `);
    expect({ output, code }).toEqual({ output: "1\n", code: 0 });
  });
});
