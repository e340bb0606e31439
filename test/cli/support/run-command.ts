import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { runCommand as run } from "../../../src/cli/main.ts";
import { onFileFinished } from "../../support/on-file-finished.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** The text on standard input. Default: none. */
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** A standard error of its own. */
  readonly stderr?: PassThrough;
  /** Called with what was written to standard error so far, until it returns true. */
  readonly onNote?: (text: string) => unknown;
}

const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));

let home: string | undefined;

/** One home for all command lines of a file. */
function createHome(): string {
  onFileFinished(() => {
    home = undefined;
  });
  return createTemporaryFolder(onFileFinished);
}

/** Runs one command line in this process, through pipes. */
export async function runCommand(line: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), options.stderr ?? new PassThrough()];
  stdin.end(options.stdin ?? "");
  const written = { stdout: "", stderr: "" };
  stdout.on("data", (chunk) => {
    written.stdout += chunk;
  });
  let isNoted = false;
  stderr.on("data", (chunk) => {
    written.stderr += chunk;
    if (!isNoted) isNoted = Boolean(options.onNote?.(written.stderr));
  });
  home ??= createHome();
  const code = await run(line, {
    stdin,
    stdout,
    stderr,
    env: { PATH: process.env.PATH ?? "", ALLSPEAK_HOME: home, ...options.env },
    cwd: options.cwd ?? fixtures,
    signal: options.signal ?? new AbortController().signal,
  });
  return { code, ...written };
}
