import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findRuntime, startProgram } from "../support/runtimes/runtime.ts";

const program = fileURLToPath(new URL("fixtures/serve-and-call.mjs", import.meta.url));

describe.each([
  { name: "deno", args: ["run", "-A", "--quiet", program] },
  { name: "bun", args: [program] },
])("$name", ({ name, args }) => {
  const command = findRuntime(name);

  it.skipIf(command === undefined)(
    "serves every revision and tasks, knows the address of a client, starts a command, and ends by itself",
    { timeout: 60_000 },
    async () => {
      const { lines, output } = startProgram(command ?? name, args);
      const seen: string[] = [];
      while (!seen.at(-1)?.startsWith("ended with")) seen.push(await lines.next());
      expect(
        seen.filter((line) => !line.includes("legacy behavior")),
        output(),
      ).toEqual([
        "2026-07-28 Hello counted 3",
        "127.0.0.1",
        "rested",
        "2025-11-25 Hello counted 3",
        "127.0.0.1",
        "2025-03-26 Hello counted 3",
        "127.0.0.1",
        "stdio Hello",
        "memory Hello",
        "closed",
        "ended with 0",
      ]);
    },
  );
});
