import type { OptionKinds } from "../../contract/options.ts";

/**
 * A program that speaks MCP on its standard input and output.
 *
 * While a child runs, this process listens for its own exit and for SIGINT, SIGTERM and SIGHUP, so that
 * no child outlives it. A handler of yours for such a signal decides alone what happens.
 */
export interface StdioCommand {
  /** A path, or a name that is looked up in PATH. Never passed through a shell. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** As in the files of many hosts. Makes no difference. */
  readonly type?: "stdio" | undefined;
  /** Variables for the child, on top of those it inherits. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * The part of our environment that the child inherits.
   *
   * Default: the variables that programs need to run (PATH, HOME, locale and the like) and no
   * credentials. A list adds to these (`AWS_*` matches all names that begin so), `true`
   * passes on everything, `false` nothing.
   */
  readonly inheritEnv?: boolean | readonly string[] | undefined;
  readonly cwd?: string | undefined;
  /**
   * The destination of the child's stderr: ours (default), nowhere, or line by line a
   * function. Its last lines are part of the error when the child ends, except with
   * `ignore`; with `pipe` they are kept for that alone.
   */
  readonly stderr?: "inherit" | "ignore" | "pipe" | ((line: string) => void) | undefined;
  /**
   * Starts the program again when it has died: for the next call, and for subscriptions. Default true.
   *
   * Only from 2026-07-28 on, where a server holds nothing between calls. With `false`, and in older revisions, the
   * connection ends with the process.
   */
  readonly restart?: boolean | undefined;
  /** A longer message fails the request it belongs to, and the connection goes on. Default: 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Delays of the shutdown: on close the child's input is closed; after `closeMs` its process group
   * gets SIGTERM and after another `termMs` SIGKILL. Default: 1,500 ms each.
   */
  readonly shutdown?: { readonly closeMs?: number; readonly termMs?: number } | undefined;
}

export const stdioCommandKinds: OptionKinds<StdioCommand> = {
  command: "string",
  args: "strings",
  type: ["stdio"],
  env: "object",
  inheritEnv: "boolean|strings",
  cwd: "string",
  stderr: "string|function",
  restart: "boolean",
  maxMessageBytes: "number",
  shutdown: { closeMs: "number", termMs: "number" },
};
