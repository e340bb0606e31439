import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { exchange } from "../../support/http/exchange.ts";
import { toNewest } from "../../support/http/stateless-request.ts";

const path = fileURLToPath(new URL("./fixtures/program.mjs", import.meta.url));

interface Line {
  readonly kind: string;
  readonly pid?: number;
  readonly url?: string;
  readonly other?: string;
  readonly port?: number;
  readonly isPrimary?: boolean;
  readonly code?: string;
  readonly message?: string;
}

/** The program of the fixture, all of whose processes write to one output. */
export class Program {
  readonly process: ChildProcess;
  readonly exited: Promise<[code: number | null, signal: string | null]>;
  readonly lines: Line[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(options: object) {
    this.process = fork(path, [JSON.stringify(options)], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
    this.exited = once(this.process, "exit") as Promise<[number | null, string | null]>;
    const { stdout } = this.process;
    if (stdout === null) throw new Error("The program has no output.");
    createInterface(stdout).on("line", (line) => {
      this.lines.push(JSON.parse(line) as Line);
      for (const look of this.#listeners) look();
    });
    onTestFinished(async () => {
      if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill("SIGKILL");
      await this.exited;
    });
  }

  /** All lines of a kind. */
  all(kind: string): Line[] {
    return this.lines.filter((line) => line.kind === kind);
  }

  /** The lines of a kind, as soon as there are so many. */
  line(kind: string, count = 1): Promise<Line> {
    return new Promise((resolve) => {
      const look = () => {
        const line = this.all(kind)[count - 1];
        if (line === undefined) return;
        this.#listeners.delete(look);
        resolve(line);
      };
      this.#listeners.add(look);
      look();
    });
  }
}

/** Starts the program; resolves when all its workers serve. */
export async function startProgram(options: object = {}): Promise<{ program: Program; url: string }> {
  const program = new Program(options);
  const { url = "" } = await program.line("serving");
  return { program, url };
}

/** Calls a tool of the newest revision over a connection of its own. */
export async function call(url: string, name: string, signal?: AbortSignal): Promise<string> {
  const request = toNewest("tools/call", { name, arguments: {} });
  const answer = await exchange(url, { ...request, ...(signal && { signal }) });
  const message = await answer.result();
  return message.result?.content?.[0]?.text ?? `${answer.status}`;
}

/** The processes that answer, found by calls until there are so many that were not seen `before`. */
export async function workersOf(
  url: string,
  count: number,
  before: readonly string[] = [],
): Promise<string[]> {
  const seen = new Set<string>();
  while (seen.size < count) {
    // A connection that Node has just handed to a worker that died is answered by nobody.
    const pid = await call(url, "who", AbortSignal.timeout(500)).catch(() => undefined);
    if (pid !== undefined && !before.includes(pid)) seen.add(pid);
  }
  return [...seen];
}
