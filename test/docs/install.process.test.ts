// The files of hosts that docs/install.md shows are those that `allspeak install` of the installed package writes.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { installPacked, root } from "../cli/support/packed.ts";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const page = readFileSync(join(root, "docs", "install.md"), "utf8").replaceAll(
  /allspeak@[\d.]+/g,
  `allspeak@${version}`,
);

const folder = mkdtempSync(join(tmpdir(), "installed-"));
let bin = "";
beforeAll(() => {
  bin = installPacked(folder, []);
});
afterAll(() => rmSync(folder, { recursive: true }));

const hosts = [
  { heading: "Claude Desktop", name: "claude" },
  { heading: "Claude Code", name: "claude-code" },
  { heading: "Cursor", name: "cursor" },
  { heading: "VS Code", name: "vscode" },
  { heading: "Windsurf", name: "windsurf" },
  { heading: "Zed", name: "zed" },
];

it.each(hosts)("docs/install.md shows the file of $heading", ({ heading, name }) => {
  expect(shownIn(heading)).toEqual(installInto(name));
});

type HostFile = Record<string, Record<string, unknown>>;

/** The JSON of a section; entries of several blocks are put together. */
function shownIn(heading: string): HostFile {
  const [, text = ""] = page.split(`\n## ${heading}\n`);
  const [own = ""] = text.split("\n## ");
  const blocks = [...own.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = ""]) => JSON.parse(json));
  const [key = ""] = Object.keys(blocks[0]);
  return { [key]: Object.assign({}, ...blocks.map((block) => block[key])) };
}

function installInto(host: string): HostFile {
  const home = mkdtempSync(join(tmpdir(), "install-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  mkdirSync(join(home, "data"));
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "data"), APPDATA: join(home, "data") };
  mkdirSync(join(home, "my-server"));
  writeFileSync(join(home, "my-server", "server.ts"), "");
  const targets = [["my-server/server.ts", "--name", "my-server"], ["https://example.com/mcp"]];
  for (const target of targets) {
    const line = [bin, "install", ...target, "--to", host, "--yes"];
    const { status, stderr } = spawnSync(process.execPath, line, { env, cwd: home, encoding: "utf8" });
    expect(status, stderr).toBe(0);
  }
  const [path = ""] = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".json"),
  );
  return JSON.parse(readFileSync(join(home, path), "utf8").replaceAll(home, "/home/me"));
}
