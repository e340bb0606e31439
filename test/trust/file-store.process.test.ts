// The file of pins and consents, written by processes that are killed or stopped while they hold its lock.

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { expect, it, onTestFinished } from "vitest";
import { withFileLock } from "../../src/lib/file-lock.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const writes = 500;
const writers = 4;

type Message = { readonly kind: "writing" } | { readonly kind: "written"; readonly key: string };

function programAt(name: string): string {
  return fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
}

/** Compiles the lock by itself, since the package does not export it. Returns its URL. */
function compileLock(folder: string): string {
  mkdirSync(join(folder, "async"), { recursive: true });
  for (const name of ["file-lock", "errno", "async/sleep", "async/timers"]) {
    const source = readFileSync(new URL(`../../src/lib/${name}.ts`, import.meta.url), "utf8");
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    const { outputText } = ts.transpileModule(source, { compilerOptions: options });
    writeFileSync(join(folder, `${name}.mjs`), outputText.replaceAll('.ts";', '.mjs";'));
  }
  return pathToFileURL(join(folder, "file-lock.mjs")).href;
}

/** Keeps writers at work until enough was acknowledged; kills one now and then while it holds the lock. */
class KilledWriters {
  readonly acknowledged: string[] = [];
  kills = 0;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Runs one writer after the other. */
  async run(at: number): Promise<void> {
    for (let life = 0; !this.#isDone; life++) {
      const child = fork(programAt("trust-writer.mjs"), [this.#path, `${at}.${life}`]);
      const exit = once(child, "exit");
      let isDoomed = false;
      child.on("message", (message: Message) => {
        if (message.kind === "written") this.acknowledged.push(message.key);
        if (this.#isDone) child.kill("SIGKILL");
        if (message.kind === "written" || isDoomed || Math.random() > 0.06) return;
        isDoomed = true;
        this.kills++;
        setTimeout(() => child.kill("SIGKILL"), Math.random() * 6);
      });
      await exit;
    }
  }

  get #isDone(): boolean {
    return this.acknowledged.length >= writes;
  }
}

it("loses no acknowledged write when writers are killed while they hold the lock", async () => {
  const folder = createTemporaryFolder();
  const path = join(folder, "trust.json");
  const killed = new KilledWriters(path);
  await Promise.all(Array.from({ length: writers }, (_, at) => killed.run(at)));
  const kept = new Set(Object.keys(JSON.parse(readFileSync(path, "utf8"))));
  expect(killed.acknowledged.filter((key) => !kept.has(key))).toEqual([]);
  expect(killed.kills).toBeGreaterThan(10);
}, 90_000);

it("a writer that was stopped, and goes on after its lock was taken over, writes nothing", async () => {
  const folder = createTemporaryFolder();
  const lock = join(folder, "lock");
  const target = join(folder, "target");
  const compiled = compileLock(join(folder, "compiled"));
  const child = fork(programAt("slow-writer.mjs"), [compiled, lock, target]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const exit = once(child, "exit");
  await once(child, "message");
  child.kill("SIGSTOP");
  await withFileLock(lock, (hold) => hold.replace(target, "new"), { staleMs: 1_000 });
  const answer = once(child, "message");
  child.kill("SIGCONT");
  child.send("go on");
  const [outcome] = await answer;
  expect(outcome).toBe("FileLockLostError");
  expect(readFileSync(target, "utf8")).toBe("new");
  expect(readdirSync(folder)).toEqual(["compiled", "target"]);
  await exit;
});
