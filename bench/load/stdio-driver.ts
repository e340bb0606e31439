import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { serverPath } from "../servers/contender.ts";
import { cpuMsOf } from "../servers/process-cpu.ts";
import { echoed, type Wire } from "./wire.ts";

const newline = 0x0a;

/** What a while of calls to one server gave. */
export interface StdioLoad {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

/** Drives one server over stdio with as little work of its own as possible. */
export class Driver {
  readonly #wire: Wire;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #exited: Promise<unknown>;
  #nextId = 2;

  constructor(server: string, wire: Wire) {
    this.#wire = wire;
    this.#child = spawn(process.execPath, [serverPath(server)], { stdio: ["pipe", "pipe", "inherit"] });
    this.#exited = once(this.#child, "exit");
  }

  /** Opens the conversation and makes sure that calls are answered, once, with what was sent. */
  async open(): Promise<void> {
    await this.#exchange([this.#wire.opening]);
    if (this.#wire.confirmation) this.#child.stdin.write(`${this.#wire.confirmation}\n`);
    const ids = Array.from({ length: 64 }, () => this.#nextId++);
    const answers = await this.#exchange(ids.map((id) => this.#wire.call(id)));
    const right = ids.every((id) =>
      answers.some((answer) => answer.id === id && answer.result?.content[0].text === echoed),
    );
    if (!right) throw new Error(`Unexpected answers: ${JSON.stringify(answers).slice(0, 500)}`);
  }

  /** Calls for about this long, keeping so many calls in flight. */
  load(inFlight: number, ms: number): Promise<StdioLoad> {
    const { stdin, stdout } = this.#child;
    let waiting = 0;
    let answered = 0;
    const send = (count: number) => {
      let text = "";
      for (let at = 0; at < count; at++) text += `${this.#wire.call(this.#nextId++)}\n`;
      waiting += count;
      stdin.write(text);
    };
    return new Promise((resolve) => {
      const pid = this.#child.pid as number;
      const cpuBefore = cpuMsOf(pid);
      const startedAt = performance.now();
      const onData = (chunk: Buffer) => {
        const lines = countLines(chunk);
        answered += lines;
        waiting -= lines;
        const elapsed = performance.now() - startedAt;
        if (elapsed < ms) {
          if (lines > 0) send(lines);
        } else if (waiting === 0) {
          stdout.off("data", onData);
          const cpuMicros = ((cpuMsOf(pid) - cpuBefore) * 1000) / answered;
          resolve({ perSecond: (answered / elapsed) * 1000, cpuMicros });
        }
      };
      stdout.on("data", onData);
      send(inFlight);
    });
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    await this.#exited;
  }

  #exchange(requests: readonly string[]): Promise<Answer[]> {
    const { stdin, stdout } = this.#child;
    return new Promise((resolve, reject) => {
      void this.#exited.then(() => reject(new Error("The server ended before it had answered.")));
      let text = "";
      const onData = (chunk: Buffer) => {
        text += chunk.toString();
        const lines = text.split("\n").slice(0, -1);
        if (lines.length < requests.length) return;
        stdout.off("data", onData);
        resolve(lines.map((line) => JSON.parse(line)));
      };
      stdout.on("data", onData);
      stdin.write(`${requests.join("\n")}\n`);
    });
  }
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly content: readonly [{ readonly text: string }] };
}

function countLines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) count++;
  return count;
}
