// Programs that use what was built.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { hasPostgres, ownPrefix, url } from "./support.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

async function runProgram(source: string, cwd: string = root): Promise<{ output: string; code: unknown }> {
  const args = ["--input-type=module", "--eval", source];
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
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

describe("a program without the package pg", () => {
  it("is told to install it", async () => {
    const folder = createTemporaryFolder();
    cpSync(join(root, "dist"), folder, { recursive: true });
    const { output } = await runProgram(
      `
      import { postgres } from "${pathToFileURL(join(folder, "state-postgres.js")).href}";
      const state = postgres("postgres://localhost/test");
      await state.values.get("key").catch(({ code, message }) => console.log(code, message));
    `,
      folder,
    );
    expect(output).toBe("usage postgres() needs the package pg: npm install pg\n");
  });
});
