import { UsageError } from "../../errors.ts";

/** The arguments of `spawn`, without a shell. */
export interface SpawnCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The arguments are quoted already. */
  readonly verbatim: boolean;
}

export interface WindowsEnvironment {
  /** The path of cmd.exe. */
  readonly shell: string;
  /** The environment of the child. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly isFile: (path: string) => boolean;
}

const defaultExtensions = ".COM;.EXE;.BAT;.CMD";
/** A percent sign, then a substring of `%cd%` that is always empty, so that no variable is expanded. */
const percent = "%%cd:~,%";

/**
 * The way to start a program on Windows, where `npx` is a batch file that only cmd.exe runs.
 *
 * The current folder is not searched for a bare name: a folder from somewhere else must
 * not decide which program runs.
 */
export function toWindowsCommand(
  command: string,
  args: readonly string[],
  environment: WindowsEnvironment,
): SpawnCommand {
  const file = findProgram(command, environment) ?? command;
  if (!/\.(?:bat|cmd)$/i.test(file)) return { file, args, verbatim: false };
  const line = [quoteScript(file), ...args.map(quoteForBatch)].join(" ");
  // `/e:on` makes the escape of `%` work, `/v:off` leaves `!` alone, `/d` skips AutoRun commands of the registry.
  return {
    file: environment.shell,
    args: ["/e:on", "/v:off", "/d", "/s", "/c", `"${line}"`],
    verbatim: true,
  };
}

function findProgram(command: string, { env, cwd, isFile }: WindowsEnvironment): string | undefined {
  const names = withExtensions(command, readVariable(env, "PATHEXT") || defaultExtensions);
  return foldersFor(command, env, cwd)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isFile);
}

function withExtensions(command: string, extensions: string): string[] {
  const known = extensions.split(";").filter((extension) => extension !== "");
  const hasOne = known.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()));
  const extended = known.map((extension) => command + extension.toLowerCase());
  return hasOne ? [command, ...extended] : extended;
}

function foldersFor(command: string, env: WindowsEnvironment["env"], cwd: string): string[] {
  if (/^(?:[a-z]:|[\\/])/i.test(command)) return [""];
  if (/[\\/]/.test(command)) return [cwd];
  const folders = (readVariable(env, "PATH") ?? "").split(";").map((folder) => folder.replaceAll('"', ""));
  return folders.filter((folder) => folder !== "");
}

function join(folder: string, name: string): string {
  return folder === "" || /[\\/]$/.test(folder) ? folder + name : `${folder}\\${name}`;
}

function readVariable(env: WindowsEnvironment["env"], name: string): string | undefined {
  const key = Object.keys(env).find((other) => other.toUpperCase() === name);
  return key === undefined ? undefined : env[key];
}

function quoteScript(path: string): string {
  if (/["\r\n\0]/.test(path)) throw new UsageError("A command may not contain quotes or line breaks.");
  return `"${path.replaceAll("%", percent)}"`;
}

/**
 * Quotes an argument so that it survives cmd.exe twice (for our line, and where the
 * batch file repeats it as `%*`) and then the program's own splitting.
 *
 * A quote is doubled, never escaped by a backslash: cmd.exe would take `\"` for the end
 * of the quoted text, and run what follows an `&`.
 */
function quoteForBatch(argument: string): string {
  if (/[\r\n\0]/.test(argument)) {
    throw new UsageError(
      "An argument for a batch file may not contain line breaks: cmd.exe would cut it there.",
    );
  }
  const escaped = argument
    .replace(/(\\*)"/g, '$1$1""')
    .replace(/(\\+)$/, "$1$1")
    .replaceAll("%", percent);
  return `"${escaped}"`;
}
