import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createServer, tool } from "allspeak";
import { connect } from "allspeak/client";
import { memoryState, type State } from "allspeak/http";
import { describe, expect, it, onTestFinished } from "vitest";

const program = fileURLToPath(new URL("./fixtures/task-worker.mjs", import.meta.url));

/** Tasks that several processes work on, kept in this one. */
class Site {
  readonly state: State = { ...memoryState(), isShared: true };
  readonly saves: { readonly by: string; readonly ended: boolean; readonly made: boolean }[] = [];
  once = 0;
  runs = 0;

  /** Starts a worker; `half` settles when it is in the middle of a task. */
  start(behaviour: "hang" | "wait" | "finish"): { child: ChildProcess; half: Promise<void> } {
    const child = fork(program, [behaviour], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    child.on("error", () => {});
    const stop = this.state.tasks.onChange((id) => tell(child, { kind: "changed", id }));
    onTestFinished(async () => {
      stop();
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
    });
    const half = new Promise<void>((resolve) => {
      child.on("message", (message: Message) => {
        if (message.kind === "once") this.once++;
        if (message.kind === "half") {
          this.runs++;
          resolve();
        }
        if (message.kind === "ask") void this.#answer(child, behaviour, message);
      });
    });
    return { child, half };
  }

  async #answer(child: ChildProcess, by: string, { id, method, args }: Message): Promise<void> {
    const tasks = this.state.tasks as unknown as Record<string, (...args: unknown[]) => unknown>;
    const value = await tasks[method as string]?.(...(args as unknown[]));
    const ended = method === "save" && "ended" in ((args as object[])[1] ?? {});
    if (method === "save") this.saves.push({ by, ended, made: value === true });
    tell(child, { kind: "answer", id, value });
  }
}

/** A process that was killed hears nothing, which is no failure here. */
function tell(child: ChildProcess, message: object): void {
  if (child.connected) child.send(message, () => {});
}

interface Message {
  readonly kind: string;
  readonly id?: number;
  readonly method?: string;
  readonly args?: unknown[];
}

/** A server that leaves the work to others, and a call that has become a task. */
async function call(site: Site): Promise<Promise<{ content: readonly unknown[] }>> {
  const server = createServer({
    name: "digging",
    version: "1.0.0",
    tasks: { run: false },
    state: site.state,
    tools: [tool("dig", { task: "required", pollIntervalMs: 50 }, () => "dug by the server")],
  });
  const client = await connect(server, { tasks: true });
  onTestFinished(() => client.close());
  return client.tools.call("dig");
}

// There is no signal on Windows that a process can't take notice of.
describe.runIf(process.platform !== "win32")("a task whose worker", () => {
  it("is killed in the middle is finished by another, and recorded once", async () => {
    const site = new Site();
    const called = call(site);
    const first = site.start("hang");
    await first.half;
    first.child.kill("SIGKILL");
    const killedAt = Date.now();
    site.start("finish");
    expect(await await called).toMatchObject({
      content: [{ text: "dug by finish with the shovel of hang" }],
    });
    expect(site.once).toBe(1);
    expect(site.runs).toBe(2);
    expect(site.saves.filter(({ ended, made }) => ended && made)).toHaveLength(1);
    // Half a second of lease, and the start of a process on a busy machine.
    expect(Date.now() - killedAt).toBeLessThan(10_000);
  });

  it("is paused for too long has its late result refused", async () => {
    const site = new Site();
    const called = call(site);
    const late = site.start("wait");
    await late.half;
    late.child.kill("SIGSTOP");
    site.start("finish");
    expect(await await called).toMatchObject({
      content: [{ text: "dug by finish with the shovel of wait" }],
    });
    late.child.send({ kind: "release" });
    late.child.kill("SIGCONT");
    const refused = () => site.saves.filter(({ by, made }) => by === "wait" && !made);
    await expect.poll(() => refused().length).toBeGreaterThan(0);
    const kept = site.saves.filter(({ ended, made }) => ended && made);
    expect(kept).toEqual([{ by: "finish", ended: true, made: true }]);
    expect(site.once).toBe(1);
  });
});
