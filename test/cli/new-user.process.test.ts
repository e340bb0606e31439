// A new user with the packed package, in a folder of their own: a project, its tests, and the command on it.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "allspeak/client";
import { expect, onTestFinished, test } from "vitest";
import { startProgram, temporaryFolder } from "./support/program.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Packs the package as npm would publish it, and unpacks it beside its dependencies, without a network. */
function install(folder: string): string {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "allspeak"), { recursive: true });
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const name = execFileSync("npm", pack, { cwd: root, encoding: "utf8" }).trim();
  execFileSync("tar", ["-xzf", join(folder, name), "--strip-components=1", "-C", join(modules, "allspeak")]);
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const dependency of [...Object.keys(dependencies), "tsx", "zod", "typescript", "@types"])
    symlinkSync(join(root, "node_modules", dependency), join(modules, dependency));
  return join(modules, "allspeak", "dist", "cli", "bin.js");
}

test("a new user makes a project, tests it, calls it, has it examined, serves it and bridges it", {
  timeout: 60_000,
}, async () => {
  const folder = temporaryFolder();
  const bin = install(folder);
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
