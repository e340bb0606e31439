// The commands of the documentation's shell snippets run, or are named here with the reason why not.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { starterFiles } from "../../src/cli/new/starter-files.ts";
import { createProject } from "../cli/support/project.ts";
import { bin } from "../cli/support/terminal.ts";

const root = new URL("../../", import.meta.url);
const pages = readdirSync(new URL("docs/", root)).filter((name) => name.endsWith(".md"));
const commands = new Set(["README.md", ...pages.map((name) => `docs/${name}`)].flatMap(commandsIn));

/** Verbs that end by themselves and need no network. */
const runs = /^allspeak (?:list|call|read|new|doctor|install|uninstall) /;

/** The other commands, by how they begin. */
const notRun: Readonly<Record<string, string>> = {
  "allspeak gateway ": "serves until it is ended; test/cli/serve/gateway.process.test.ts starts it",
  "allspeak inspect": "serves until it is ended; test/inspector starts it",
  "ALLSPEAK_DEBUG=1 node server.js": "the server is the reader's; test/debug sets the variable",
  "cd my-server": "changes the folder of the reader's shell",
  "claude mcp add ": "a program of others",
  "curl http://127.0.0.1:3000/mcp ": "needs a server on a port that may be taken",
  "npm install": "needs a network",
  "npm run dev": "serves until it is ended; test/cli/serve/serve.process.test.ts starts such a server",
  "npm test": "test/cli/new-user.process.test.ts runs the tests of a new project",
};
const reasons = Object.keys(notRun);

it("every shell command of the documentation is run, or is named with the reason why not", () => {
  const isNamed = (command: string) => reasons.some((start) => command.startsWith(start));
  expect([...commands].filter((command) => runs.test(command) === isNamed(command))).toEqual([]);
});

it("every reason is of a command that the documentation has", () => {
  expect(reasons.filter((start) => ![...commands].some((command) => command.startsWith(start)))).toEqual([]);
});

it("the shell commands of the documentation succeed, in their order, in a new project", {
  timeout: 60_000,
}, () => {
  const folder = createProject(Object.fromEntries(starterFiles("docs", "0.0.0")), ["allspeak", "tsx", "zod"]);
  const env = { PATH: `${createCommand(folder)}:${process.env.PATH}`, HOME: folder, ALLSPEAK_HOME: folder };
  const tried = [...commands].filter((command) => runs.test(command));
  expect(tried.length).toBeGreaterThan(8);
  const failed = tried
    .map((command) => ({ command, ...spawnSync("sh", ["-c", command], { cwd: folder, env, input: "" }) }))
    .filter(({ status }) => status !== 0)
    .map(({ command, stderr }) => `${command}: ${stderr}`);
  expect(failed).toEqual([]);
});

/** The commands of a page, without `npx` and comments. An indented line belongs to the one before it. */
function commandsIn(page: string): string[] {
  const text = readFileSync(new URL(page, root), "utf8");
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, lines = ""]) => lines.replaceAll(/\\?\n\s+/g, " ").split("\n"))
    .map((line) => line.replace(/^npx (?=allspeak )/, "").replace(/\s+# .*$/, ""))
    .filter((line) => line !== "");
}

/** A folder with the command as it was built. It agrees to what a person would be asked. */
function createCommand(project: string): string {
  const folder = join(project, "bin");
  mkdirSync(folder);
  const agree = 'case "$1" in install | uninstall) set -- "$@" --yes ;; esac';
  const script = `#!/bin/sh\n${agree}\nexec "${process.execPath}" "${bin}" "$@"\n`;
  writeFileSync(join(folder, "allspeak"), script, { mode: 0o755 });
  return folder;
}
