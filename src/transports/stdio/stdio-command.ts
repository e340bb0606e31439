/** A program that speaks the protocol on its standard input and output. */
export interface StdioCommand {
  /** A path, or a name that is looked up in PATH. Never passed through a shell. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables for the child, on top of what it inherits. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * What the child inherits of our environment.
   *
   * Default: what programs need to run (PATH, HOME, locale and the like) and no
   * credentials. A list adds to these (`AWS_*` stands for all that begin so), `true`
   * passes everything on, `false` nothing.
   */
  readonly inheritEnv?: boolean | readonly string[] | undefined;
  readonly cwd?: string | undefined;
  /**
   * Where the child's stderr goes: to ours (default), nowhere, or line by line to a
   * function. Its last lines are part of the error when the child ends, except with
   * `ignore`; with `pipe` they are kept for that alone.
   */
  readonly stderr?: "inherit" | "ignore" | "pipe" | ((line: string) => void) | undefined;
  /** A longer message fails the request it belongs to, and the connection goes on. Default: 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * On close the child's input is closed; after `closeMs` its process group gets SIGTERM
   * and after another `termMs` SIGKILL. Default: 1,500 ms each.
   */
  readonly shutdown?: { readonly closeMs?: number; readonly termMs?: number } | undefined;
}
