import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verbTable } from "../../../src/cli/verb-table.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { runCommand } from "../support/run-command.ts";

type Shell = "bash" | "zsh" | "fish";

/** A program of each shell that loads the script and prints what it makes of a line. */
const programs: Record<Shell, (script: string, line: string) => string> = {
  bash: (script, line) => `
source ${script}
COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _allspeak; echo "\${COMPREPLY[@]}"`,
  // The shell that is asked runs at a pseudo-terminal, where a person presses Tab.
  zsh: (script, line) => `
zmodload zsh/zpty
zpty asked zsh -f -i
zpty -w asked 'autoload -U compinit && compinit -u -D; source ${script}'
zpty -w asked 'show() { print -r -- "$BUFFER" > ${script}.line; exit }; zle -N show; bindkey "^X" show'
zpty -w -n asked '${line}'$'\\t\\x18'
while zpty -r asked output; do done
cat ${script}.line`,
  fish: (script, line) => `
source ${script}
complete -C '${line}' | string split -f 1 \\t`,
};

describe.each(Object.keys(programs) as Shell[])("%s", (shell) => {
  const isThere = spawnSync(shell, ["-c", "true"]).status === 0;
  if (!isThere) console.error(`A test of completion is skipped: there is no ${shell}.`);

  test.skipIf(!isThere)("completes verbs and their options", async ({ onTestFinished }) => {
    const { stdout } = await runCommand(["completion", shell]);
    const script = join(createTemporaryFolder(onTestFinished), "script");
    writeFileSync(script, stdout);
    const complete = (line: string) => {
      const program = programs[shell](script, line);
      const said = execFileSync(shell, ["-c", program], { encoding: "utf8", timeout: 20_000 });
      return said.trim().split(" ").at(-1);
    };
    expect(complete("allspeak do")).toBe("doctor");
    expect(complete("allspeak call everything --ti")).toBe("--timeout");
    expect(complete("allspeak serve --wa")).toBe("--watch");
  });

  test("has every verb in its script", async () => {
    const { stdout } = await runCommand(["completion", shell]);
    for (const { name } of verbTable) expect(stdout).toContain(name);
  });
});

test("another shell is a usage error", async () => {
  expect((await runCommand(["completion", "cmd"])).code).toBe(2);
});
