// A new user with the packed package, in a folder of their own: a project, its tests, and the command on it.
import { spawnSync } from "node:child_process";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "allspeak/client";
import { expect, onTestFinished, test } from "vitest";
import { installPacked, root } from "./support/packed.ts";
import { startProgram, temporaryFolder } from "./support/program.ts";

test("a new user makes a project, tests it, calls it, has it examined, serves it and bridges it", {
  timeout: 60_000,
}, async () => {
  const folder = temporaryFolder();
  const bin = installPacked(folder, ["tsx", "zod", "typescript", "@types"]);
  const env = { PATH: process.env.PATH, ALLSPEAK_HOME: temporaryFolder() };
  const run = (cwd: string, ...line: string[]) =>
    spawnSync(process.execPath, [bin, ...line], { cwd, env, encoding: "utf8", input: "" });

  expect(run(folder, "new", "my-notes").stdout).toContain("npm install && npm test");
  expect(run(folder, "new", "my-notes").status).toBe(2);
  const project = join(folder, "my-notes");
  const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  const tests = spawnSync("sh", ["-c", scripts.test], { cwd: project, env, encoding: "utf8" });
  expect([tests.status, tests.stdout]).toEqual([0, expect.stringMatching(/pass 3\b/)]);
  const compiler = join(root, "node_modules", "typescript", "lib", "tsc.js");
  const types = spawnSync(process.execPath, [compiler, "--noEmit", "-p", "."], {
    cwd: project,
    encoding: "utf8",
  });
  expect(types).toMatchObject({ status: 0, stdout: "" });

  expect(run(project, "call", "./server.ts", "write-note", "name=cats", "text=They purr.").stdout).toBe(
    "Wrote cats.\n",
  );
  const examined = run(project, "doctor", "./server.ts", "--json");
  expect([examined.status, JSON.parse(examined.stdout).findings]).toEqual([0, []]);

  const serving = startProgram(["serve", "./server.ts", "--http", ":0"], { cwd: project, bin });
  const [, url = ""] = await serving.shows("stdout", /on (http:\/\/\S+);/);
  const client = await connect(url);
  onTestFinished(() => client.close());
  expect((await client.resources.read("note://welcome")).contents).toHaveLength(1);
  expect(run(project, "call", url, "write-note", "name=dogs", "text=They bark.").stdout).toBe(
    "Wrote dogs.\n",
  );

  // A host that knows only stdio and an old revision, before the server over HTTP.
  const old = await connect(
    { command: process.execPath, args: [bin, "bridge", url, "--stdio"], cwd: project },
    { revisions: ["2024-11-05"] },
  );
  onTestFinished(() => old.close());
  expect((await old.resources.read("note://dogs")).contents).toMatchObject([{ text: "They bark." }]);
});

test.each([
  ["a file", "file:allspeak-0.1.0.tgz"],
  ["a repository", "git+ssh://git@example.com/allspeak.git#0123"],
  ["the registry", "https://registry.example.com/allspeak/-/allspeak-0.1.0.tgz"],
])(
  "a package from %s is started by a host from where it can be had",
  {
    timeout: 60_000,
  },
  async (_, resolved) => {
    const folder = temporaryFolder();
    const bin = installPacked(folder, []);
    const lock = { packages: { "node_modules/allspeak": { version: "0.1.0", resolved } } };
    writeFileSync(join(folder, "node_modules", ".package-lock.json"), JSON.stringify(lock));
    const line = ["install", "everything", "--to", "cursor", "--project", "--yes"];
    const { output, ended } = startProgram(line, { cwd: folder, bin });
    expect([await ended, output.stdout]).toEqual([0, expect.stringContaining("is installed")]);
    const { mcpServers } = JSON.parse(readFileSync(join(folder, ".cursor", "mcp.json"), "utf8"));
    const { command, args } = mcpServers.everything;
    const published = ["npx", "-y", expect.stringMatching(/^allspeak@\d/), "everything", "--stdio"];
    const own = ["node", realpathSync(bin), "everything", "--stdio"];
    expect([command, ...args]).toEqual(resolved.startsWith("https:") ? published : own);
  },
);

test.skipIf("typescript" in process.features && Boolean(process.features.typescript))(
  "where neither Node nor tsx runs TypeScript, the command names the ways out",
  { timeout: 60_000 },
  async () => {
    const folder = temporaryFolder();
    const bin = installPacked(folder, []);
    writeFileSync(join(folder, "server.ts"), "export const server: unknown = undefined;\n");
    const { output, ended } = startProgram(["list", "./server.ts"], { cwd: folder, bin });
    expect([await ended, output.stderr]).toEqual([
      2,
      `error: Node ${process.version} does not run TypeScript, and tsx is not installed.\nUse Node 22.18 or newer, run "npm install --save-dev tsx", or name a JavaScript file instead of ./server.ts.\n`,
    ]);
  },
);
