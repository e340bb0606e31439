import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { verbTable } from "../../../src/cli/verb-table.ts";
import { runCommand } from "../support/run-command.ts";

test("bash completes verbs and their options", async () => {
  const { stdout: script } = await runCommand(["completion", "bash"]);
  const complete = (words: string) => {
    const ask = `COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _allspeak; echo "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", `${script}\n${ask}`], { encoding: "utf8" }).trim();
  };
  expect(complete("allspeak do")).toBe("doctor");
  expect(complete("allspeak call everything --ti")).toBe("--timeout");
  expect(complete("allspeak serve --wa")).toBe("--watch");
});

test.each(["zsh", "fish"])("the script for %s names every verb", async (shell) => {
  const { stdout } = await runCommand(["completion", shell]);
  for (const { name } of verbTable) expect(stdout).toContain(name);
});

test("another shell is a usage error", async () => {
  expect((await runCommand(["completion", "cmd"])).code).toBe(2);
});
