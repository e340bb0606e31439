import type { OptionTable, OptionValues } from "../verb.ts";

/** Chooses a server of a module. */
export const exportOption = {
  type: "string",
  value: "NAME",
  description: "The export of a module. Default: default, then server",
} as const;

/** Options of every verb that connects to a server. */
export const targetOptions = {
  config: { type: "string", value: "FILE", description: "Take the target from this file of a host" },
  export: exportOption,
  header: { type: "string", value: "'NAME: VALUE'", multiple: true, description: "Send a header over HTTP" },
  env: { type: "string", value: "NAME=VALUE", multiple: true, description: "Set a variable for a command" },
  root: { type: "string", value: "PATH", multiple: true, description: "Let the server work in a folder" },
  revision: { type: "string", value: "DATE", multiple: true, description: "Speak only this revision" },
  timeout: {
    type: "number",
    value: "SECONDS",
    description: "Give up after so many seconds. Default: 600 in all, 60 of silence",
  },
  log: {
    type: "string",
    value: "LEVEL",
    choices: ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"],
    description: "Show log messages of the server, from this level on",
  },
  yes: { type: "boolean", short: "y", description: "Agree to everything that would be asked" },
  "no-input": { type: "boolean", description: "Never ask, even at a terminal" },
} as const satisfies OptionTable;

/** For verbs whose answer machines can read, too. */
export const jsonOption = { type: "boolean", description: "Write JSON for machines" } as const;

export type TargetOptions = OptionValues<typeof targetOptions>;

export const targetArgument = {
  name: "target",
  description: "a URL, a quoted command, a module, or a name from an mcpServers file",
} as const;
