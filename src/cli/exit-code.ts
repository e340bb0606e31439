/** The exit codes of the command; docs/command.md lists them. */
export const ExitCode = {
  ok: 0,
  /** The tool answered with an error or ended the process, or the doctor found something to fix. */
  failed: 1,
  /** The command line, a file that it names, or standard output can't be used as it is. */
  usage: 2,
  /** The server can't be reached or started, or it went away. */
  unreachable: 3,
  /** The server wants a login, or refuses the credentials. */
  unauthorized: 4,
  /** The server refused the request, or answered with something that no revision allows. */
  refused: 5,
  /** The user refused, or could not be asked. */
  declined: 6,
  timeout: 7,
  /** A fault of the command itself. */
  internal: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
