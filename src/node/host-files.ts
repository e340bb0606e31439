import { homedir } from "node:os";
import { join } from "node:path";
import type { ServerEntry } from "allspeak/host";

type Environment = Readonly<Record<string, string | undefined>>;

/** A host's file: where it is, under which key it keeps its servers, and how it writes one. */
export interface HostFile {
  path(env: Environment): string;
  readonly key: string;
  toEntry(entry: ServerEntry): object;
}

/** The files of a project in which hosts keep their servers. */
export const projectFiles: readonly string[] = [
  ".mcp.json",
  "mcp.json",
  join(".cursor", "mcp.json"),
  join(".vscode", "mcp.json"),
];

export const hostNames = ["claude", "cursor", "vscode", "windsurf", "zed"] as const;
export type HostName = (typeof hostNames)[number];

export const hostFiles: { readonly [name in HostName]: HostFile } = {
  claude: {
    path: (env) => inAppData(env, "Claude", "claude_desktop_config.json"),
    key: "mcpServers",
    // Its file knows commands only.
    toEntry: (entry) =>
      "url" in entry ? toCommand("npx", ["-y", "allspeak", "bridge", entry.url, "--stdio"]) : plain(entry),
  },
  cursor: { path: (env) => join(home(env), ".cursor", "mcp.json"), key: "mcpServers", toEntry: plain },
  vscode: {
    path: (env) => inAppData(env, "Code", "User", "mcp.json"),
    key: "servers",
    toEntry: (entry) => ({ type: "url" in entry ? "http" : "stdio", ...plain(entry) }),
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
    ...toCommand(entry.command, entry.args),
    ...(Object.keys(entry.env).length > 0 && { env: entry.env }),
  };
}

function toCommand(command: string, args: readonly string[]): object {
  return { command, args };
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
