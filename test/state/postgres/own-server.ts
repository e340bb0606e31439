import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { findFreePort } from "../../support/free-port.ts";
import { run, until } from "./support.ts";

const installed = "/usr/lib/postgresql";
const versions = existsSync(installed) ? readdirSync(installed) : [];
const programs = join(installed, versions.at(-1) ?? "none", "bin");

/** Whether the programs of the server are there, for tests that stop it. */
export const hasPrograms: boolean = findPrograms();

function findPrograms(): boolean {
  const isThere = existsSync(join(programs, "initdb"));
  const problem = `there is no initdb in ${programs}`;
  if (!isThere && process.env.CI) throw new Error(problem);
  if (!isThere) console.log(`The tests that stop PostgreSQL are skipped: ${problem}.`);
  return isThere;
}

/** PostgreSQL does not run as root. */
const user = process.getuid?.() === 0 ? idsOf("postgres") : {};

function idsOf(name: string): { uid?: number; gid?: number } {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((one) => one.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined ? {} : { uid: Number(uid), gid: Number(gid) };
}

/** A server that a test may stop. It is gone after the test. */
export class OwnServer {
  readonly url: string;
  readonly #port: number;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string) {
    this.#port = port;
    this.#folder = folder;
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  static async start(): Promise<OwnServer> {
    const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "as-pg-"));
    if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
    const args = ["-D", join(folder, "data"), "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8"];
    execFileSync(join(programs, "initdb"), args, { ...user, cwd: folder, stdio: "ignore" });
    const server = new OwnServer(await findFreePort(), folder);
    onTestFinished(async () => {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    });
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    // Processes of a server that was killed may live on for a moment, and keep the next one from starting.
    await until(async () => {
      if (this.#process === undefined || this.#process.exitCode !== null) this.#process = this.#spawn();
      return run("SELECT 1", this.url).then(
        () => true,
        () => false,
      );
    });
  }

  /** Ends the server as a crash would. */
  async kill(): Promise<void> {
    const children = this.#children();
    const isGone = this.#process && this.#process.exitCode === null && once(this.#process, "exit");
    for (const pid of [this.#process?.pid, ...children]) if (pid) signal(pid, "SIGKILL");
    await isGone;
    this.#process = undefined;
  }

  /** Stops the server and all its connections, until it is thawed. */
  freeze(): () => void {
    const pids = [this.#process?.pid ?? 0, ...this.#children()];
    for (const pid of pids) signal(pid, "SIGSTOP");
    return () => {
      for (const pid of pids) signal(pid, "SIGCONT");
    };
  }

  #spawn(): ChildProcess {
    const settings = ["fsync=off", "listen_addresses=127.0.0.1", `unix_socket_directories=${this.#folder}`];
    const args = ["-D", join(this.#folder, "data"), "-p", String(this.#port)];
    return spawn(join(programs, "postgres"), [...args, ...settings.flatMap((setting) => ["-c", setting])], {
      ...user,
      cwd: this.#folder,
      stdio: "ignore",
    });
  }

  #children(): number[] {
    const parent = this.#process?.pid;
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => parent !== undefined && parentOf(pid) === parent);
  }
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) \S /s, "")
        .split(" ")[0],
    );
  } catch {
    return undefined;
  }
}

/** Children of PostgreSQL come and go. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
