import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { root } from "../../package/paths.ts";
import { Queue } from "../queue.ts";

/** The path of a runtime that npm brings; undefined, with a line that says so, where it does not run. */
export function findRuntime(name: string): string | undefined {
  const path = `${root}/node_modules/.bin/${name}`;
  try {
    execFileSync(path, ["--version"], { stdio: "ignore" });
    return path;
  } catch (error) {
    console.warn(`Tests of ${name} are skipped: it does not run here (${(error as Error).message}).`);
    return undefined;
  }
}

/** A program of another runtime, which ends with the test. */
export interface Running {
  /** The lines that it prints. */
  readonly lines: Queue<string>;
  /** The lines of its third pipe, on which some programs report their state. */
  readonly control: Queue<string>;
  /** All that it printed so far. */
  output(): string;
}

export function startProgram(command: string, args: readonly string[], cwd: string = root): Running {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe", "pipe"] });
  const [lines, control] = [new Queue<string>(), new Queue<string>()];
  let output = "";
  const read = (stream: Readable, onLine: (line: string) => void) =>
    createInterface({ input: stream }).on("line", onLine);
  for (const stream of [child.stdout, child.stderr])
    read(stream as Readable, (line) => {
      output += `${line}\n`;
      lines.push(line);
    });
  read(child.stdio[3] as Readable, (line) => control.push(line));
  const ended = new Promise<void>((resolve) => {
    child.once("close", (code) => {
      control.push(`ended with ${code}: ${output}`);
      lines.push(`ended with ${code}`);
      resolve();
    });
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { lines, control, output: () => output };
}
