import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../support/packed.ts";
import { fixtures, temporaryFolder } from "../support/program.ts";
import { runCommand } from "../support/run-command.ts";

function createHome(text?: string) {
  const home = temporaryFolder();
  mkdirSync(join(home, ".cursor"));
  const file = join(home, ".cursor", "mcp.json");
  if (text !== undefined) writeFileSync(file, text);
  const run = (...line: string[]) =>
    runCommand(line, { env: { HOME: home, XDG_CONFIG_HOME: join(home, ".config") }, cwd: home });
  return { home, file, run, read: () => JSON.parse(readFileSync(file, "utf8")) };
}

/** Tests run a checkout, whose version may not be published. */
const bin = join(root, "dist", "cli", "bin.js");

const kept = { theme: "dark", mcpServers: { other: { command: "other" } } };

describe("allspeak install", () => {
  test("tells servers of one machine apart by their ports", async () => {
    const { run, read } = createHome(JSON.stringify(kept));
    for (const port of [4711, 4712])
      await run("install", `http://localhost:${port}/mcp`, "--to", "cursor", "--yes");
    expect(read().mcpServers).toMatchObject({
      "localhost-4711": { url: "http://localhost:4711/mcp" },
      "localhost-4712": { url: "http://localhost:4712/mcp" },
    });
  });

  test("shows the difference, keeps the rest and a backup, and can be taken back", async () => {
    const { home, run, read } = createHome(JSON.stringify(kept));
    const installed = await run("install", "npx -y some-server", "--to", "cursor", "--yes");
    expect(installed.stderr).toContain('+ "some-server": {');
    const entry = { command: "npx", args: ["-y", "some-server"] };
    expect(read()).toEqual({ ...kept, mcpServers: { ...kept.mcpServers, "some-server": entry } });
    const backup = readdirSync(join(home, ".cursor")).find((name) => name.endsWith(".backup")) ?? "";
    expect(JSON.parse(readFileSync(join(home, ".cursor", backup), "utf8"))).toEqual(kept);

    expect((await run("install", "npx -y some-server", "--to", "cursor", "--yes")).stdout).toContain(
      "already",
    );
    const unknown = await run("uninstall", "nobody", "--from", "cursor", "--yes");
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('cursor has no server "nobody".');
    expect(unknown.stderr).toContain("some-server");
    const removed = await run("uninstall", "some-server", "--from", "cursor", "--yes");
    expect(removed.stderr).toContain('- "some-server": {');
    expect(read()).toEqual(kept);
  });

  test("writes files of a command with their whole paths, as hosts start it elsewhere", async () => {
    const { home, run, read } = createHome();
    for (const name of ["srv.mjs", "start.sh"]) writeFileSync(join(home, name), "", { mode: 0o755 });
    mkdirSync(join(home, "notes"));
    const installed = await run("install", "node srv.mjs ./notes", "--to", "cursor", "--yes");
    expect(installed.stderr).toContain(join(home, "srv.mjs"));
    await run("install", "./start.sh --fast", "--to", "cursor", "--yes", "--name", "started");
    // The name of a package, though there is a folder of this name.
    await run("install", "npx -y notes", "--to", "cursor", "--yes", "--name", "package");
    expect(read().mcpServers).toEqual({
      notes: { command: "node", args: [join(home, "srv.mjs"), join(home, "notes")] },
      started: { command: join(home, "start.sh"), args: ["--fast"] },
      package: { command: "npx", args: ["-y", "notes"] },
    });
  });

  test.each([
    ["gw.json", 3, 'There is no server and no program "gw.json".'],
    ["./gw.json", 2, "./gw.json is not a program."],
    ["./missing", 2, "./missing is not a program."],
  ])("refuses %s, which is no server", async (target, exit, says) => {
    const { home, run, read } = createHome(JSON.stringify(kept));
    writeFileSync(join(home, "gw.json"), "{}");
    const { code, stderr } = await run("install", target, "--to", "cursor", "--yes");
    expect(stderr).toContain(says);
    expect([code, read()]).toEqual([exit, kept]);
  });

  test("writes nothing without a yes", async () => {
    const { run, read } = createHome(JSON.stringify(kept));
    const { code } = await run("install", "https://example.com/mcp", "--to", "cursor");
    expect([code, read()]).toEqual([6, kept]);
  });

  test("leaves a file with comments to its owner, and says what to add", async () => {
    const { file, run } = createHome("{ // mine\n}");
    const { code, stderr } = await run("install", "https://example.com/mcp", "--to", "cursor", "--yes");
    expect(stderr).toContain('"url": "https://example.com/mcp"');
    expect([code, readFileSync(file, "utf8")]).toEqual([6, "{ // mine\n}"]);
  });

  test.each([
    ["claude-code", /[^/]\/\.claude\.json, mcpServers/],
    ["claude", /\.config\/Claude\/claude_desktop_config\.json, mcpServers/],
    ["vscode", /\.config\/Code\/User\/mcp\.json, servers/],
    ["windsurf", /\.codeium\/windsurf\/mcp_config\.json, mcpServers/],
    ["zed", /\.config\/zed\/settings\.json, context_servers/],
  ])("knows the file of %s", async (host, place) => {
    const { home, run } = createHome();
    writeFileSync(join(home, "server.ts"), "");
    const { code, stderr } = await run("install", "./server.ts", "--to", host, "--name", "own", "--yes");
    if (process.platform === "linux") expect(stderr).toMatch(place);
    expect(stderr).toContain('"serve"');
    expect(code).toBe(0);
  });

  test("a module is installed by the name of its server, and a file that is not there is refused", async () => {
    const { run, read } = createHome(JSON.stringify({ mcpServers: { shop: { command: "old" } } }));
    const shop = join(fixtures, "shop.mjs");
    expect((await run("install", shop, "--to", "cursor", "--yes")).stdout).toContain("shop was replaced");
    const after = { mcpServers: { shop: { command: "node", args: [bin, "serve", shop, "--stdio"] } } };
    expect(read()).toEqual(after);
    const { code, stderr } = await run("install", "./nope.ts", "--to", "cursor", "--yes");
    expect([code, stderr, read()]).toEqual([2, expect.stringContaining("no file ./nope.ts"), after]);
  });

  test.each(["claude", "claude-code", "cursor", "vscode", "windsurf", "zed"])(
    "the demo server is installed for %s as the verb that serves it",
    async (host) => {
      const { run } = createHome();
      const { code, stderr } = await run("install", "everything", "--to", host, "--yes");
      expect(stderr.replace(/[\s+]+/g, "")).toContain(`"args":["${bin}","everything","--stdio"]`);
      expect(code).toBe(0);
    },
  );

  test("an entry has the export that was chosen, and its name", async () => {
    const { run, read } = createHome();
    const two = join(fixtures, "two-servers.mjs");
    const unclear = await run("install", two, "--to", "cursor", "--yes");
    expect([unclear.code, unclear.stderr]).toEqual([2, expect.stringContaining("--export NAME")]);
    await run("install", two, "--export", "second", "--to", "cursor", "--yes");
    const args = [bin, "serve", two, "--export", "second", "--stdio"];
    expect(read()).toEqual({ mcpServers: { second: { command: "node", args } } });
    const refused = await run("install", "npx some", "--export", "second", "--to", "cursor", "--yes");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--export is for modules")]);
  });

  test.each([
    ["a list", "[]", 2, "mcp.json holds a list, and a host's file is an object."],
    ["a text", '"x"', 2, "mcp.json holds a single value, and a host's file is an object."],
    ["a list of servers", '{"mcpServers":[{"name":"mine"}]}', 2, "mcp.json has a list as mcpServers,"],
    ["a text as servers", '{"mcpServers":"mine"}', 2, "mcp.json has a single value as mcpServers,"],
    ["null as servers", '{"mcpServers":null}', 2, "mcp.json has a single value as mcpServers,"],
    ["broken JSON", '{\n  "a": }', 2, "mcp.json is not JSON: "],
    ["a comment", "{ // mine\n}", 6, "mcp.json has comments, trailing commas or a byte order mark"],
  ])("says what is wrong with a file that holds %s", async (_, text, exit, said) => {
    const { file, run } = createHome(text);
    const { code, stderr } = await run("install", "https://example.com/mcp", "--to", "cursor", "--yes");
    expect([code, stderr]).toEqual([exit, expect.stringContaining(said)]);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("keeps all that Claude Code has in its file", async () => {
    const { home, run } = createHome();
    const file = join(home, ".claude.json");
    const state = { numStartups: 3, projects: { "/p": { mcpServers: { own: { command: "own" } } } } };
    writeFileSync(file, JSON.stringify(state));
    await run("install", "https://example.com/mcp", "--to", "claude-code", "--name", "example", "--yes");
    const entry = { type: "http", url: "https://example.com/mcp" };
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ ...state, mcpServers: { example: entry } });
    await run("uninstall", "example", "--from", "claude-code", "--yes");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ ...state, mcpServers: {} });
  });

  test.each([
    ["claude-code", ".mcp.json", "mcpServers"],
    ["cursor", ".cursor/mcp.json", "mcpServers"],
    ["vscode", ".vscode/mcp.json", "servers"],
  ])("--project writes the file of a folder for %s, and takes it back", async (host, path, key) => {
    const { home, run } = createHome();
    const installed = await run("install", "npx some", "--to", host, "--project", "--yes");
    expect(installed.code, installed.stderr).toBe(0);
    const readProject = () => JSON.parse(readFileSync(join(home, path), "utf8"));
    expect(readProject()).toMatchObject({ [key]: { some: { command: "npx", args: ["some"] } } });
    expect((await run("uninstall", "some", "--from", host, "--project", "--yes")).code).toBe(0);
    expect(readProject()).toEqual({ [key]: {} });
  });

  test("--project is refused for a host that has no such file", async () => {
    const { run } = createHome();
    const { code, stderr } = await run("install", "npx some", "--to", "zed", "--project", "--yes");
    expect([code, stderr]).toEqual([2, expect.stringContaining("zed has no file for a project")]);
  });
});
