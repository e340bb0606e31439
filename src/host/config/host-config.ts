import type { ToolRules } from "../catalog/tool-rules.ts";

/** The servers that a host's file names, as they are written there: variables are not filled in yet. */
export interface HostConfig {
  /** The file, where there is one. */
  readonly path: string | undefined;
  readonly servers: ReadonlyMap<string, ConfiguredServer>;
  /** The values that a user is asked for, by id (`${input:id}`). */
  readonly inputs: ReadonlyMap<string, ConfigInput>;
  /** Entries that can't be used; the others can. */
  readonly problems: readonly ConfigProblem[];
}

export interface ConfigProblem {
  readonly server: string | undefined;
  readonly message: string;
}

export interface ConfiguredServer {
  readonly name: string;
  readonly entry: ServerEntry;
  /** True when the file switches the server off. */
  readonly isDisabled: boolean;
  /** The only tools that may be used, by their own names. Default: all. */
  readonly allowedTools: readonly string[] | undefined;
  /** Tools that may not be used, by their own names. */
  readonly deniedTools: readonly string[];
  /** Rules for single tools: the member `tools`, which is ours. */
  readonly toolRules: ToolRules;
}

/** The way to reach a server; values may contain variables such as `${env:TOKEN}`. */
export type ServerEntry = CommandEntry | UrlEntry;

export interface CommandEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A file of `NAME=value` lines for the environment; `env` has priority. */
  readonly envFile?: string;
}

export interface UrlEntry {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A value that a file leaves to the user, often a secret. */
export interface ConfigInput {
  readonly id: string;
  readonly description: string | undefined;
  /** True when the value must not be shown while it is typed. */
  readonly isSecret: boolean;
  readonly default: string | undefined;
  /** The values to choose from, where there is a choice. */
  readonly options: readonly string[] | undefined;
}
