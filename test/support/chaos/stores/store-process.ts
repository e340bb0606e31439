import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";

export interface StoreProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly options?: SpawnOptions;
  /** The words by which it says that it takes connections. */
  readonly ready: RegExp;
}

/** A store of the test's own, which it may kill, freeze and start again on the same data. */
export class StoreProcess {
  readonly url: string;
  readonly port: number;
  readonly #program: StoreProgram;
  #child: ChildProcess | undefined;

  constructor(url: string, program: StoreProgram) {
    this.url = url;
    this.port = Number(new URL(url).port);
    this.#program = program;
  }

  async start(): Promise<void> {
    const { command, args, options, ready } = this.#program;
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    let output = "";
    await new Promise<void>((resolve, reject) => {
      const onOutput = (chunk: Buffer) => {
        output = (output + String(chunk)).slice(-4_000);
        if (ready.test(output)) resolve();
      };
      child.stdout?.on("data", onOutput);
      child.stderr?.on("data", onOutput);
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`${command} ended with ${code}: ${output}`)));
    });
  }

  /** Ends it as a crash does: nothing is flushed, nobody is told. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** Stops it without ending its connections. */
  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#child?.kill("SIGCONT");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // PostgreSQL's own children hold its output, too, and its shared memory, without which it can't start again.
    const closed = once(child, "close");
    child.kill("SIGCONT");
    child.kill(signal);
    await closed;
  }
}
