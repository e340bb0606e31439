export interface ChildEnvironmentOptions {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly inheritEnv?: boolean | readonly string[] | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const posixNames: readonly string[] = [
  "HOME",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  "XDG_*",
];

const windowsNames: readonly string[] = [
  "ALLUSERSPROFILE",
  "APPDATA",
  "COMMONPROGRAMFILES",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "NUMBER_OF_PROCESSORS",
  "OS",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERDOMAIN",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

/**
 * The environment of a child process: enough of ours to run, and no credentials.
 *
 * Proxy settings are left out, because they often hold a password.
 */
export function toChildEnvironment(
  { env, inheritEnv }: ChildEnvironmentOptions,
  ours: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const ignoresCase = platform === "win32";
  const isInherited = toFilter(inheritEnv, ignoresCase);
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(ours)) {
    // Old shells execute a variable that begins with `()` (Shellshock).
    if (value !== undefined && isInherited(name) && !value.startsWith("()")) result[name] = value;
  }
  for (const [name, value] of Object.entries(env ?? {})) {
    if (ignoresCase) dropOtherSpellings(result, name);
    result[name] = value;
  }
  return result;
}

function toFilter(
  inheritEnv: ChildEnvironmentOptions["inheritEnv"],
  ignoresCase: boolean,
): (name: string) => boolean {
  if (typeof inheritEnv === "boolean") return () => inheritEnv;
  const fold = (name: string): string => (ignoresCase ? name.toUpperCase() : name);
  const patterns = [...(ignoresCase ? windowsNames : posixNames), ...(inheritEnv ?? [])].map(fold);
  const names = new Set(patterns.filter((name) => !name.endsWith("*")));
  const prefixes = patterns.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return (name) => names.has(fold(name)) || prefixes.some((prefix) => fold(name).startsWith(prefix));
}

/** Removes other spellings of a name: on Windows `Path` and `PATH` are one variable. */
function dropOtherSpellings(env: Record<string, string>, name: string): void {
  for (const other of Object.keys(env)) {
    if (other !== name && other.toUpperCase() === name.toUpperCase()) delete env[other];
  }
}
