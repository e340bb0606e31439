import { homedir } from "node:os";
import { join } from "node:path";
import type { ServerEntry } from "allspeak/host";

type Environment = Readonly<Record<string, string | undefined>>;

/** A host's file: where it is, under which key it keeps its servers, and how it writes one. */
export interface HostFile {
  path(env: Environment): string;
  /** The file of a project, from its folder, where the host reads one. */
  readonly projectPath?: string;
  readonly key: string;
  /** `bridge` makes the entry of a command that leads to a URL. */
  toEntry(entry: ServerEntry, bridge: (url: string) => ServerEntry): object;
}

const projectPaths = {
  claudeCode: ".mcp.json",
  cursor: join(".cursor", "mcp.json"),
  vscode: join(".vscode", "mcp.json"),
} as const;

/** The files of a project in which hosts keep their servers. */
export const projectFiles: readonly string[] = [
  projectPaths.claudeCode,
  "mcp.json",
  projectPaths.cursor,
  projectPaths.vscode,
];

export const hostNames = ["claude", "claude-code", "cursor", "vscode", "windsurf", "zed"] as const;
export type HostName = (typeof hostNames)[number];

export const hostFiles: { readonly [name in HostName]: HostFile } = {
  claude: {
    path: (env) => inAppData(env, "Claude", "claude_desktop_config.json"),
    key: "mcpServers",
    // Its file knows commands only.
    toEntry: (entry, bridge) => plain("url" in entry ? bridge(entry.url) : entry),
  },
  "claude-code": {
    path: (env) => join(env.CLAUDE_CONFIG_DIR || home(env), ".claude.json"),
    projectPath: projectPaths.claudeCode,
    key: "mcpServers",
    toEntry: typed,
  },
  cursor: {
    path: (env) => join(home(env), ".cursor", "mcp.json"),
    projectPath: projectPaths.cursor,
    key: "mcpServers",
    toEntry: plain,
  },
  vscode: {
    path: (env) => inAppData(env, "Code", "User", "mcp.json"),
    projectPath: projectPaths.vscode,
    key: "servers",
    toEntry: typed,
  },
  windsurf: {
    path: (env) => join(home(env), ".codeium", "windsurf", "mcp_config.json"),
    key: "mcpServers",
    toEntry: (entry) => ("url" in entry ? { serverUrl: entry.url } : plain(entry)),
  },
  zed: {
    path: (env) => join(env.XDG_CONFIG_HOME || join(home(env), ".config"), "zed", "settings.json"),
    key: "context_servers",
    toEntry: plain,
  },
};

function plain(entry: ServerEntry): object {
  if ("url" in entry) return { url: entry.url };
  return {
    command: entry.command,
    args: entry.args,
    ...(Object.keys(entry.env).length > 0 && { env: entry.env }),
  };
}

function typed(entry: ServerEntry): object {
  return { type: "url" in entry ? "http" : "stdio", ...plain(entry) };
}

function home(env: Environment): string {
  return env.HOME || homedir();
}

function inAppData(env: Environment, ...names: readonly string[]): string {
  if (process.platform === "darwin") return join(home(env), "Library", "Application Support", ...names);
  if (process.platform === "win32")
    return join(env.APPDATA || join(home(env), "AppData", "Roaming"), ...names);
  return join(env.XDG_CONFIG_HOME || join(home(env), ".config"), ...names);
}
