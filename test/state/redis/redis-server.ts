import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A Redis server of one test, which can be killed, frozen and started again on its port, with what it has written. */
export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  readonly #settings: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string, settings: readonly string[]) {
    this.port = port;
    this.#folder = folder;
    this.#settings = settings;
  }

  static async start(settings: readonly string[] = []): Promise<RedisServer> {
    const folder = mkdtempSync(join(tmpdir(), "as-redis-"));
    const server = new RedisServer(await findPort(), folder, settings);
    onTestFinished(async () => {
      await server.kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    });
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the server and waits until it takes connections. */
  async start(): Promise<void> {
    const where = ["--port", String(this.port), "--bind", "127.0.0.1", "--dir", this.#folder];
    const durable = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"];
    const child = spawn("redis-server", [...where, ...durable, ...this.#settings], {
      stdio: ["ignore", "pipe", "ignore"],
      // A group of its own, with the processes that it forks to write its files.
      detached: true,
    });
    this.#process = child;
    for await (const chunk of child.stdout) if (String(chunk).includes("Ready to accept")) break;
    child.stdout.resume();
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const exited = once(child, "exit");
    process.kill(-child.pid, "SIGKILL");
    await exited;
  }

  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#process?.kill("SIGCONT");
  }
}

async function findPort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { readonly port: number };
  probe.close();
  await once(probe, "close");
  return port;
}
