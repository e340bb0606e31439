import { createServer } from "allspeak";
import type { Caller, HostOptions, Isolation } from "allspeak/host";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { openTestHost, plainEntry, reaches } from "./fixtures/servers.ts";

const principal = (subject: string) => ({ issuer: "https://id.example", subject });
const anna: Caller = { principal: principal("anna"), session: "1" };
const annaAgain: Caller = { principal: principal("anna"), session: "2" };
const bob: Caller = { principal: principal("bob"), session: "1" };

/** The process that answers each caller. */
async function processes(isolation: Isolation, callers: readonly Caller[]): Promise<number[]> {
  const host = await openTestHost({ servers: { a: plainEntry("read") }, isolation });
  const results = await Promise.all(callers.map((caller) => host.for(caller).call("a__read")));
  return results.map(({ text }) => JSON.parse(text).pid);
}

describe("isolation", () => {
  test.each<[Isolation, number]>([
    ["shared", 1],
    ["per-principal", 2],
    ["per-session", 3],
  ])("%s uses %i connections for three sessions of two principals", async (isolation, count) => {
    const pids = await processes(isolation, [anna, annaAgain, bob, anna]);
    expect(new Set(pids).size).toBe(count);
    expect(pids[3]).toBe(pids[0]);
  });

  test("a caller that can't be told apart is refused", async () => {
    const byPrincipal = await openTestHost({ servers: {}, isolation: "per-principal" });
    await expect(byPrincipal.call("a__read")).rejects.toThrow("use host.for({ principal })");
    expect(() => byPrincipal.for({ session: "1" })).toThrow("use host.for({ principal })");
    const bySession = await openTestHost({ servers: {}, isolation: "per-session" });
    expect(() => bySession.for({ principal: principal("anna") })).toThrow("use host.for({ session })");
  });

  test("the same session id of two principals is two sessions", async () => {
    const [first, second] = await processes("per-session", [anna, bob]);
    expect(first).not.toBe(second);
  });

  test("consent, questions and the audit know the caller", async () => {
    const server = createServer({ name: "s", version: "1.0.0" });
    server.tool(
      "ask",
      {},
      async (_, ctx) => (await ctx.elicit("ok", "Sure?", { type: "object", properties: {} })).action,
    );
    const seen: (string | undefined)[] = [];
    const note = (caller: Caller) => void seen.push(caller.principal?.subject);
    const host = await openTestHost({
      servers: { s: server },
      isolation: "per-principal",
      consent: ({ caller }) => {
        note(caller);
        return true;
      },
      elicit: (_ask, { caller }) => {
        note(caller);
        return { action: "decline" };
      },
      audit: ({ caller }) => note(caller),
    });
    expect((await host.for(anna).call("s__ask")).text).toBe("decline");
    expect(seen).toEqual(["anna", "anna", "anna"]);
  });

  test("connections with other credentials are never shared, and those of others are never sent", async () => {
    const server = createServer({ name: "s", version: "1.0.0" });
    const seen: string[] = [];
    server.tool("who", {}, (_, ctx) => ctx.principal?.subject ?? "nobody");
    const running = await serveHttp(server, {
      port: 0,
      identify: (request) => {
        const subject = request.header("authorization") ?? "";
        seen.push(subject);
        return { issuer: "test", subject };
      },
    });
    onTestFinished(() => running.close());
    let turn = 1;
    const host = await openTestHost({
      servers: { s: running.url },
      isolation: "per-principal",
      credentials: ({ server: name, principal: who }) => ({
        headers: { authorization: `${name} ${who?.subject} ${turn}` },
      }),
    });
    const who = async (caller: Caller) => (await host.for(caller).call("s__who")).text;
    expect(await Promise.all([who(anna), who(bob), who(annaAgain)])).toEqual([
      "s anna 1",
      "s bob 1",
      "s anna 1",
    ]);
    turn = 2;
    expect(await who(anna)).toBe("s anna 2");
    expect(await who(bob)).toBe("s bob 2");
    expect([...new Set(seen)].sort()).toEqual(["s anna 1", "s anna 2", "s bob 1", "s bob 2"]);
  });

  test("an idle connection is closed, and opens again with the next call", async () => {
    const options: HostOptions = {
      servers: { a: plainEntry("read") },
      isolation: "per-principal",
      idleMs: 1,
    };
    const host = await openTestHost(options);
    const ready = reaches(host, "a", "ready").then(() => reaches(host, "a", "idle"));
    const { pid } = JSON.parse((await host.for(anna).call("a__read")).text);
    await ready;
    expect(host.server("a")?.connections).toBe(0);
    expect(JSON.parse((await host.for(anna).call("a__read")).text).pid).not.toBe(pid);
  });

  test("the number of connections is bounded: the one that was used longest ago goes", async () => {
    const options: HostOptions = {
      servers: { a: plainEntry("read") },
      isolation: "per-session",
      maxConnections: 2,
    };
    const host = await openTestHost(options);
    const pids: number[] = [];
    for (const session of ["1", "2", "3", "3", "2"])
      pids.push(JSON.parse((await host.for({ session }).call("a__read")).text).pid);
    expect(host.server("a")?.connections).toBe(2);
    expect(pids[3]).toBe(pids[2]);
    expect(pids[4]).toBe(pids[1]);
    expect(JSON.parse((await host.for({ session: "1" }).call("a__read")).text).pid).not.toBe(pids[0]);
  });

  test("a caller that is forgotten leaves no connection behind", async () => {
    const host = await openTestHost({ servers: { a: plainEntry("broken") }, isolation: "per-session" });
    expect((await host.for({ session: "first" }).call("a__read")).isError).toBe(true);
    expect(host.server("a")?.state).toBe("failed");
    for (let session = 0; session < 10_000; session++) host.for({ session: String(session) });
    expect(host.server("a")).toMatchObject({ state: "idle", error: undefined });
  });

  test("a caller does not get the place of calls that run", async () => {
    const server = createServer({ name: "s", version: "1.0.0" });
    let release = () => {};
    const started = new Promise<void>((isRunning) => {
      server.tool("wait", {}, () => {
        isRunning();
        return new Promise<string>((resolve) => {
          release = () => resolve("done");
        });
      });
    });
    const host = await openTestHost({ servers: { s: server }, isolation: "per-session", maxConnections: 1 });
    const waiting = host.for({ session: "1" }).call("s__wait");
    await started;
    expect(await host.for({ session: "2" }).call("s__wait")).toMatchObject({
      isError: true,
      error: { code: "server-unavailable", cause: { code: "overloaded" } },
    });
    release();
    expect((await waiting).text).toBe("done");
  });
});
