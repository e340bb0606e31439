import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const player = fileURLToPath(new URL("person.py", import.meta.url));
/** The command as it was built. */
export const bin: string = fileURLToPath(new URL("../../../dist/cli/bin.js", import.meta.url));

/** False where there is no Python to open a pseudo-terminal with; CI has it. */
export const hasTerminal: boolean = spawnSync("python3", ["-c", "import pty"]).status === 0;
if (!hasTerminal) console.error("The tests at a terminal are skipped: there is no python3 with pty.");

/** A text that the terminal must show, and the keys that are typed then. */
export interface Step {
  readonly expect: string;
  readonly send?: string;
}

export interface Shown {
  readonly code: number | null;
  /** Everything that the terminal got, escape sequences included. */
  readonly raw: string;
  /** Likewise without escape sequences. */
  readonly text: string;
}

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly home: string;
}

/** Runs the command in a pseudo-terminal, with a person who follows the steps. */
export async function runAtTerminal(
  line: readonly string[],
  steps: readonly Step[],
  { env, cwd, home }: TerminalOptions,
): Promise<Shown> {
  const child = spawn("python3", [player, JSON.stringify(steps), process.execPath, bin, ...line], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, ALLSPEAK_HOME: home, TERM: "xterm-256color", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let raw = "";
  let complaint = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    raw += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    complaint += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const text = withoutEscapes(raw);
  if (code === 99) throw new Error(`${complaint}\n${text}`);
  return { code, raw, text };
}

function withoutEscapes(text: string): string {
  const esc = String.fromCharCode(27);
  return text.replace(new RegExp(`${esc}(?:\\[[\\d;?]*[A-Za-z]|\\][^${String.fromCharCode(7)}]*.)`, "g"), "");
}
