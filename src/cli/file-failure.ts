/** An error of the file system, which has the path that it is about. */
interface FileFailure extends Error {
  readonly code: string;
  /** Not there for a folder that was read as a file. */
  readonly path?: string;
}

/** True for an error about a file or folder; a program that can't be started, and a socket, have a path too. */
export function isFileFailure(error: unknown): error is FileFailure {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return false;
  if (error.code === "EISDIR") return true;
  const hasPath = "path" in error && typeof error.path === "string";
  return hasPath && !/^(?:spawn|connect|listen)\b/.test(String(error.syscall));
}

/** The sentence about a file and its failure: Node begins with the code, and ends with the call and the path. */
export function describeFileFailure({ code, message, path }: FileFailure): string {
  const reason = /^[A-Z]+: (.+?), /.exec(message)?.[1] ?? message;
  return `${path ?? "What was named"} can't be used: ${reason} (${code}).`;
}
