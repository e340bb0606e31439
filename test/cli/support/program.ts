import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { bin } from "./terminal.ts";

export const fixtures: string = fileURLToPath(new URL("../fixtures", import.meta.url));

export interface Program {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<number | null>;
  /** Resolves when the stream has shown the text. */
  shows(stream: "stdout" | "stderr", pattern: RegExp): Promise<RegExpExecArray>;
}

export interface ProgramOptions {
  readonly cwd?: string;
  readonly stdin?: "ignore" | "pipe";
  readonly env?: Readonly<Record<string, string>>;
  /** The program to run. Default: the command of this repository. */
  readonly bin?: string;
  /** The Node that runs it. Default: that of this process. */
  readonly node?: string;
}

/** Starts the command as it was built, through pipes; it is ended with the test at the latest. */
export function startProgram(line: readonly string[], options: ProgramOptions = {}): Program {
  const child = spawn(options.node ?? process.execPath, [options.bin ?? bin, ...line], {
    cwd: options.cwd ?? fixtures,
    env: { PATH: process.env.PATH, ALLSPEAK_HOME: temporaryFolder(), ...options.env },
    stdio: [options.stdin ?? "ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk) => {
      output[name] += chunk;
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)));
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return {
    child,
    output,
    ended,
    shows(stream, pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output[stream]);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        void ended.then(() => reject(new Error(`The program ended: ${output.stdout}${output.stderr}`)));
        look();
      });
    },
  };
}

/** A folder that is removed when the test has ended. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "allspeak-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
