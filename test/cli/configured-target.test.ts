import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainEntry } from "../host/fixtures/servers.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { runCommand } from "./support/run-command.ts";

const inputKey = "${input:key}";

function createFolder(servers: object, inputs: readonly object[] = []): string {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, "mcp.json"), JSON.stringify({ servers, inputs }));
  return folder;
}

test("a server of the folder is shown with all that decides what is started and sent, and needs a yes", async () => {
  const cwd = createFolder(
    {
      program: { ...plainEntry("read"), envFile: ".env", env: { KEY: inputKey } },
      page: { url: "https://x.example/mcp", headers: { Authorization: "Bearer s3cret-t0ken" } },
    },
    [{ id: "key", description: "The key", default: "from the file" }],
  );
  const [program, page] = [
    await runCommand(["list", "program"], { cwd }),
    await runCommand(["list", "page"], { cwd }),
  ];
  expect([program.code, page.code]).toEqual([6, 6]);
  expect(program.stderr).toContain("with the file .env, which can't be read");
  expect(program.stderr).toContain('asks for key (The key), else takes "from the file"');
  expect(page.stderr).toContain("with the header Authorization: Bear… (19 characters)");
  expect(page.stderr).not.toContain("s3cret");
});

test("a changed default of an input needs another yes", async () => {
  const servers = { program: { ...plainEntry("read"), env: { KEY: inputKey } } };
  const cwd = createFolder(servers, [{ id: "key", default: "one" }]);
  expect(await runCommand(["list", "program", "--yes"], { cwd })).toMatchObject({ code: 0 });
  expect(await runCommand(["list", "program"], { cwd })).toMatchObject({ code: 0 });
  writeFileSync(join(cwd, "mcp.json"), JSON.stringify({ servers, inputs: [{ id: "key", default: "two" }] }));
  const changed = await runCommand(["list", "program"], { cwd });
  expect(changed.code).toBe(6);
  expect(changed.stderr).toContain("has changed since you agreed to it");
});

test("--env reaches a server of a file, and is refused where there is no program", async () => {
  const cwd = createFolder({ program: { ...plainEntry("read"), env: { KEY: "of the file" } } });
  const line = ["call", "program", "read", "--config", "mcp.json", "--env", "KEY=given", "--json"];
  expect((await runCommand(line, { cwd })).stdout).toContain("given");
  for (const target of ["./shop.mjs", "https://x.example/mcp"]) {
    const refused = await runCommand(["list", target, "--env", "KEY=given"]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("--env is for programs") });
  }
});

test.each(["my srv", "io.example/notes", "@scope/notes"])(
  "a server called %s is found by its name",
  async (name) => {
    const cwd = createFolder({ [name]: plainEntry("read") });
    expect(await runCommand(["list", name, "--yes"], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("read"),
    });
  },
);

test("a file of the folder that can't be read does not stop a command, and is told of", async () => {
  const { command, args } = plainEntry("read");
  const cwd = createTemporaryFolder();
  writeFileSync(join(cwd, "mcp.json"), "{");
  const line = [command, ...args].map((word) => `'${word}'`).join(" ");
  const { code, stderr } = await runCommand(["list", line], { cwd });
  expect([code, stderr]).toEqual([0, expect.stringContaining("mcp.json is not JSON")]);
});

test.each([{ disabled: true }, { enabled: false }])("a server with %o is not started", async (off) => {
  const cwd = createFolder({ off: { ...plainEntry("read"), ...off } });
  for (const chosen of [[], ["--config", "mcp.json"]]) {
    const { code, stderr } = await runCommand(["list", "off", "--yes", ...chosen], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('The server "off" is switched off in')]);
  }
});

test("the url of an entry is never taken for a program", async () => {
  const cwd = createFolder({ page: { type: "http", url: "localhost:3000" } });
  const { code, stderr } = await runCommand(["list", "page", "--config", "mcp.json"], { cwd });
  expect([code, stderr]).toEqual([
    2,
    'error: Server "page": The url of a server must begin with http://, https://, ws:// or wss://.\n',
  ]);
});

test("a file that is missing is named once, with its server", async () => {
  const cwd = createFolder({ program: { ...plainEntry("read"), envFile: "missing.env" } });
  const { code, stderr } = await runCommand(["list", "program", "--config", "mcp.json"], { cwd });
  expect([code, stderr]).toEqual([
    2,
    'error: Server "program": the file missing.env could not be read when the server was approved; write it, and load the configuration again.\n',
  ]);
});

test("an input that nobody can be asked for is told with the ways to give it", async () => {
  const cwd = createFolder({ program: { ...plainEntry("read"), env: { KEY: inputKey } } }, [{ id: "key" }]);
  const { code, stderr } = await runCommand(["list", "program", "--config", "mcp.json"], { cwd });
  expect(stderr).toContain("${input:key} has no value");
  expect(stderr).toContain("run it at a terminal, which asks for it, or write ${env:NAME} in its place");
  expect(stderr).not.toContain("input option");
  expect(code).toBe(2);
});
