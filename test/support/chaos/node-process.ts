import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface NodeProcessOptions {
  readonly name: string;
  readonly port: number;
  /** The URL of the state. */
  readonly state: string;
  /** The file that it writes its history to. */
  readonly history: string;
  /** The compiled program. */
  readonly program: string;
  /** The Node.js that runs it. */
  readonly runtime: string;
}

/** A node in a process of its own, which the test may kill, freeze, drain and start again. */
export class NodeProcess {
  readonly name: string;
  readonly port: number;
  readonly #options: NodeProcessOptions;
  #child: ChildProcess | undefined;

  constructor(options: NodeProcessOptions) {
    this.name = options.name;
    this.port = options.port;
    this.#options = options;
  }

  async start(): Promise<void> {
    const { name, port, state, history, program, runtime } = this.#options;
    const child = spawn(runtime, [program, JSON.stringify({ name, port, state, history })], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    let output = "";
    await new Promise<void>((resolve, reject) => {
      child.stdout.on("data", (chunk: Buffer) => {
        if (String(chunk).includes("ready")) resolve();
      });
      child.stderr.on("data", (chunk: Buffer) => {
        output = (output + String(chunk)).slice(-4_000);
      });
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`${name} ended with ${code}: ${output}`)));
    });
  }

  /** Ends it at once, with all that it was doing. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Lets it finish what it is doing. */
  async drain(): Promise<void> {
    await this.#end("SIGTERM");
  }

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
    const exited = once(child, "exit");
    child.kill("SIGCONT");
    child.kill(signal);
    await exited;
  }
}
