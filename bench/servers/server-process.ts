import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { serverPath } from "./contender.ts";
import { cpuMsOf } from "./process-cpu.ts";

/** A server over HTTP in a process of its own, and what the system says of it. */
export class ServerProcess {
  readonly url: URL;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: URL) {
    this.#child = child;
    this.url = url;
  }

  static async start(server: string, nodeOptions: readonly string[] = []): Promise<ServerProcess> {
    const child = spawn(process.execPath, [...nodeOptions, serverPath(server)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const [url] = await Promise.race([once(child, "message"), once(child, "exit")]);
    if (!URL.canParse(url)) throw new Error(`${server} ended before it listened.`);
    return new ServerProcess(child, new URL(url));
  }

  /** Processor time so far, of all its threads. */
  get cpuMs(): number {
    return cpuMsOf(this.#child.pid as number);
  }

  /** What it holds in memory, all of which is in use where it was started with `--expose-gc`. */
  async memory(): Promise<NodeJS.MemoryUsage> {
    const told = once(this.#child, "message");
    this.#child.send("memory");
    return (await told)[0];
  }

  /** Sends a word, waits for its effect, and gives what the server measured meanwhile. */
  async ask(word: string, effect: Promise<unknown>): Promise<unknown> {
    this.#child.send(word);
    await effect;
    const told = once(this.#child, "message");
    this.#child.send("measured");
    return (await told)[0];
  }

  /** Settles when the server says so. */
  async told(word: string): Promise<void> {
    while ((await once(this.#child, "message"))[0] !== word);
  }

  get residentBytes(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
}
