import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "allspeak/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { exchange } from "../../support/http/exchange.ts";
import { toInitialize } from "../../support/http/raw-session.ts";
import { call, Program, startProgram, workersOf } from "./program.ts";

const posting = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Opens a session of 2025-11-25; each request goes over a connection of its own, to the next worker. */
async function openSession(url: string) {
  const opened = await exchange(url, { headers: posting, body: toInitialize("2025-11-25") });
  await opened.text();
  const session = {
    "mcp-session-id": opened.headers["mcp-session-id"] as string,
    "mcp-protocol-version": "2025-11-25",
  };
  const post = async (body: object) => exchange(url, { headers: { ...posting, ...session }, body });
  await (await post({ jsonrpc: "2.0", method: "notifications/initialized" })).text();
  let id = 0;
  return async (): Promise<string> => {
    const answer = await post({
      jsonrpc: "2.0",
      id: ++id,
      method: "tools/call",
      params: { name: "who", arguments: {} },
    });
    const message = await answer.result();
    return message.result?.content?.[0]?.text ?? `${answer.status}: ${JSON.stringify(message)}`;
  };
}

describe("serveHttp with workers", () => {
  it("serves from each worker at one port, and not from the process that started them", async () => {
    const { program, url } = await startProgram();
    const workers = await workersOf(url, 2);
    expect(workers).not.toContain(String(program.process.pid));
    expect(new URL(url).port).toBe(String(program.all("serving")[0]?.port));
  });

  it("runs the code before the call in each process, and the code after it in the first", async () => {
    const { program } = await startProgram();
    expect(
      program
        .all("before")
        .map(({ isPrimary }) => isPrimary)
        .sort(),
    ).toEqual([false, false, true]);
    expect(program.all("serving").map(({ pid }) => pid)).toEqual([program.process.pid]);
  });

  it("lets every worker go on with a session, though it has no other state", async () => {
    const { url } = await startProgram();
    const who = await openSession(url);
    const answers = [await who(), await who(), await who(), await who()];
    expect(new Set(answers)).toEqual(new Set(await workersOf(url, 2)));
  });

  it("lets every worker go on with questions whose state the client carries", async () => {
    const { url } = await startProgram();
    const client = await connect(url, {
      revisions: ["2026-07-28"],
      elicit: () => ({ action: "accept", content: {} }),
      // The next request goes to the next worker.
      fetch: (input, init) =>
        fetch(input, { ...init, headers: { ...toObject(init?.headers), connection: "close" } }),
    });
    onTestFinished(() => client.close());
    const { content } = await client.tools.call("confirm");
    expect(content).toMatchObject([{ text: "accept accept" }]);
  });

  it("sends changes of the first process to clients of every worker", async () => {
    const { program, url } = await startProgram();
    const revisions = ["2026-07-28", "2025-11-25", "2025-11-25"] as const;
    const clients = await Promise.all(revisions.map((revision) => connect(url, { revisions: [revision] })));
    onTestFinished(async () => {
      await Promise.all(clients.map((client) => client.close()));
    });
    const heard: Promise<unknown>[] = [];
    for (const client of clients)
      await new Promise<void>((subscribed, failed) => {
        const update = new Promise((resolve) => {
          client.subscribe({ resources: ["note:///1"] }, resolve).then(() => subscribed(), failed);
        });
        heard.push(update);
      });
    program.process.send("update");
    expect(await Promise.all(heard)).toHaveLength(3);
  });

  it("serves two servers, each at its port", async () => {
    const { program, url } = await startProgram({ behaviour: "two at once" });
    const other = program.all("serving")[0]?.other ?? "";
    expect(other).not.toBe(url);
    await Promise.all([workersOf(url, 2), workersOf(other, 2)]);
  });
});

describe("a worker that is killed", () => {
  it("is replaced, at the same port, and sessions go on", async () => {
    const { url } = await startProgram();
    const who = await openSession(url);
    const before = await workersOf(url, 2);
    process.kill(Number(before[0]), "SIGKILL");
    const [fresh] = await workersOf(url, 1, before);
    const answers = [await who(), await who(), await who()];
    expect(new Set(answers)).toEqual(new Set([before[1], fresh]));
  });

  it("is replaced, at the same port, when all are killed at once", async () => {
    const { url } = await startProgram();
    const who = await openSession(url);
    const before = await workersOf(url, 2);
    for (const pid of before) process.kill(Number(pid), "SIGKILL");
    const after = await workersOf(url, 2, before);
    expect(after).toContain(await who());
  });

  it("by a signal that asks it to end finishes its calls first", async () => {
    const { program, url } = await startProgram({ workers: 1 });
    const waited = call(url, "wait");
    const { pid = 0 } = await program.line("waiting");
    process.kill(pid, "SIGTERM");
    process.kill(pid, "SIGUSR2");
    expect(await waited).toBe("waited");
    expect(await workersOf(url, 1, [String(pid)])).toHaveLength(1);
  });
});

describe("the start of workers", () => {
  it("fails with a clear error when they end at once, again and again", async () => {
    const program = new Program({ behaviour: "workers end at once" });
    const { message } = await program.line("refused");
    expect(message).toMatch(
      /Workers end before they serve, the last one with code 3; see what they wrote to stderr\./,
    );
    expect(await program.exited).toEqual([1, null]);
  });

  it("fails as it does without workers when the port is taken", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void holder.close());
    await new Promise((resolve) => holder.once("listening", resolve));
    const { port } = holder.address() as AddressInfo;
    const program = new Program({ port });
    const refused = await program.line("refused");
    expect(refused.message).toMatch(/^Can't listen on 127\.0\.0\.1:\d+: another program listens there/);
    expect(refused.code).toBe("usage");
    expect(await program.exited).toEqual([1, null]);
  });

  it("refuses a later call, which workers would never come to", async () => {
    const { program } = await startProgram({ behaviour: "one after the other" });
    const { message } = await program.line("refused");
    expect(message).toContain("begin all calls at once");
  });
});

describe("the end of workers", () => {
  it("waits for running calls when the handle is closed, and leaves no process", async () => {
    const { program, url } = await startProgram();
    const waited = call(url, "wait");
    const { pid = 0 } = await program.line("waiting");
    program.process.send("close");
    await program.line("closing");
    process.kill(pid, "SIGUSR2");
    expect(await waited).toBe("waited");
    await program.line("closed");
    expect(await program.exited).toEqual([0, null]);
    for (const { pid: each = 0 } of program.all("before")) expect(isAlive(each)).toBe(false);
  });

  it("waits for running calls when the first process gets a signal", async () => {
    const { program, url } = await startProgram();
    const waited = call(url, "wait");
    const { pid = 0 } = await program.line("waiting");
    program.process.kill("SIGTERM");
    process.kill(pid, "SIGUSR2");
    expect(await waited).toBe("waited");
    expect(await program.exited).toEqual([143, null]);
    for (const { pid: each = 0 } of program.all("before")) expect(isAlive(each)).toBe(false);
  });

  it("closes the state of the program on a signal, since nobody else can", async () => {
    const { program } = await startProgram({ behaviour: "own state" });
    program.process.kill("SIGTERM");
    expect(await program.line("state closed")).toMatchObject({ pid: program.process.pid });
    expect(await program.exited).toEqual([143, null]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function toObject(headers: ConstructorParameters<typeof Headers>[0]): Record<string, string> {
  return Object.fromEntries(new Headers(headers));
}
