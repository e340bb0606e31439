import { consentPolicy, pinTools } from "allspeak/client";
import { type HostAuditEntry, type HostConsentRequest, type HostOptions, openHost } from "allspeak/host";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { turns } from "../support/turns.ts";
import { namedServer, openTestHost, plainEntry, reaches } from "./fixtures/servers.ts";

const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

describe("a host", () => {
  test("lists the tools of all servers under names that tell them apart, and calls them", async () => {
    const servers = { a: namedServer("first", "read", "write"), b: namedServer("second", "read") };
    const host = await openTestHost({ servers });
    expect(names(await host.tools())).toEqual(["a__read", "a__write", "b__read"]);
    expect((await host.call("b__read", { id: 1 })).text).toBe('second read {"id":1}');
    expect((await host.call("a__read")).text).toBe("first read {}");
    expect(host.find("a__write")).toMatchObject({ server: "a", tool: { name: "write" } });
    expect(names(await host.modelTools())).toEqual(["a__read", "a__write", "b__read"]);
  });

  test("an entry without a command and a url is refused at once", async () => {
    const servers = { x: { comand: "y" } } as unknown as NonNullable<HostOptions["servers"]>;
    await expect(openTestHost({ servers })).rejects.toMatchObject({
      code: "usage",
      message: 'Server "x": it has neither a command nor a url.',
    });
  });

  test("starts a server with its first call, and no other", async () => {
    const host = await openTestHost({ servers: { a: plainEntry("read"), b: plainEntry("read") } });
    expect(host.servers.map(({ state }) => state)).toEqual(["idle", "idle"]);
    const result = await host.call("b__read");
    expect(JSON.parse(result.text)).toMatchObject({ name: "read" });
    expect(host.servers.map(({ state }) => state)).toEqual(["idle", "ready"]);
    expect(host.server("b")?.info).toMatchObject({ name: "plain" });
    expect(host.states).toEqual(["b starting", "b ready"]);
  });

  test("a server that fails takes no other with it, and says why", async () => {
    const servers = { bad: plainEntry("broken"), good: plainEntry("read"), none: { command: "/no/such" } };
    const host = await openTestHost({ servers });
    expect(names(await host.tools())).toEqual(["good__read", "good__die"]);
    expect(host.server("bad")).toMatchObject({ state: "failed", error: { code: "process" } });
    expect(host.server("bad")?.retryAt).toBeInstanceOf(Date);
    const failed = await host.call("bad__read");
    expect(failed).toMatchObject({ isError: true, text: 'The server "bad" is not available.' });
    expect(failed.error).toMatchObject({ code: "server-unavailable", server: "bad" });
    expect((await host.call("good__read")).isError).toBe(false);
  });

  test("a server that does not answer is waited for once, not by every listing", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const quiet = { command: process.execPath, args: ["-e", "process.stdin.resume()"] };
    const host = await openTestHost({ servers: { quiet, good: namedServer("good", "read") }, listMs: 5_000 });
    const first = host.tools();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(names(await first)).toEqual(["good__read"]);
    // The clock stands still, so nobody who waits now would come back.
    expect(names(await host.modelTools())).toEqual(["good__read"]);
  });

  test("a close reports nothing of a server that does not answer", async () => {
    const quiet = { command: process.execPath, args: ["-e", "process.stdin.resume()"] };
    const host = await openTestHost({ servers: { quiet } });
    const starts = reaches(host, "quiet", "starting");
    const listing = host.tools();
    await starts;
    await host.close();
    await listing;
    expect(host.problems).toEqual([]);
  });

  test("a program that dies is started again, and its tools keep their names", async () => {
    const host = await openTestHost({ servers: { a: plainEntry("read") }, backOff: { firstMs: 1 } });
    const before = JSON.parse((await host.call("a__read")).text);
    const ready = reaches(host, "a", "failed").then(() => reaches(host, "a", "ready"));
    expect(await host.call("a__die")).toMatchObject({ isError: true, error: { code: "process" } });
    await ready;
    const after = JSON.parse((await host.call("a__read")).text);
    expect(after.pid).not.toBe(before.pid);
    expect(names(await host.tools())).toEqual(["a__read", "a__die"]);
  });

  test("a server that keeps dying is left alone after some restarts, until it is called", async () => {
    const host = await openTestHost({
      servers: { a: plainEntry("read") },
      backOff: { firstMs: 1, maxMs: 1 },
      maxRestarts: 1,
    });
    for (let time = 0; time < 2; time++) {
      const failed = reaches(host, "a", "failed");
      await host.call("a__die");
      await failed;
      if (time === 0) await reaches(host, "a", "ready");
    }
    expect(host.server("a")?.state).toBe("failed");
    while (Date.now() < Number(host.server("a")?.retryAt ?? 0)) await turns(1);
    expect(JSON.parse((await host.call("a__read")).text).pid).toEqual(expect.any(Number));
    expect(host.server("a")?.state).toBe("ready");
  });

  test("close ends all programs, and later calls are refused", async () => {
    const host = await openTestHost({ servers: { a: plainEntry("read"), b: plainEntry("read") } });
    const { pid } = JSON.parse((await host.call("a__read")).text);
    await host.tools();
    await host.close();
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    const closed = { code: "usage", message: "The host is closed." };
    expect(await host.call("a__read")).toMatchObject({ isError: true, text: closed.message, error: closed });
    expect(await host.tools()).toEqual([]);
    await expect(host.client("a")).rejects.toMatchObject(closed);
    await expect(host.connect("a")).rejects.toMatchObject(closed);
  });

  test("close ends programs that are still starting", async () => {
    const host = await openTestHost({ servers: { a: { command: "sleep", args: ["60"] } } });
    const starting = reaches(host, "a", "starting");
    const listing = host.tools();
    await starting;
    await host.close();
    expect(await listing).toEqual([]);
  });

  test("a call that is cancelled rejects, and the server goes on", async () => {
    const server = namedServer("a", "read");
    server.tool(
      "wait",
      {},
      (_, ctx) => new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", reject)),
    );
    const host = await openTestHost({ servers: { a: server } });
    const abort = new AbortController();
    const call = host.call("a__wait", {}, { signal: abort.signal });
    await reaches(host, "a", "ready");
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    expect((await host.call("a__read")).isError).toBe(false);
  });

  test("tools that come, go and change are updated, and listeners are told", async () => {
    const server = namedServer("a", "read");
    const host = await openTestHost({ servers: { a: server } });
    await host.tools();
    const change = new Promise((resolve) => host.onChange(resolve));
    server.tool("later", { description: "new" }, () => "later");
    expect(await change).toMatchObject({
      server: "a",
      added: [{ name: "a__later" }],
      removed: [],
      changed: [],
    });
    expect((await host.call("a__later")).text).toBe("later");
  });

  test("questions, consent and the audit see the server by its name in the configuration", async () => {
    const server = namedServer("claims to be someone else", "read");
    server.tool("ask", {}, async (_, ctx) => {
      const answer = await ctx.elicit("sure", "Sure?", {
        type: "object",
        properties: { ok: { type: "boolean" } },
      });
      return answer.action;
    });
    const asked: string[] = [];
    const consented: HostConsentRequest[] = [];
    const audited: HostAuditEntry[] = [];
    const host = await openTestHost({
      servers: { real: server },
      elicit: (_ask, { serverName }) => {
        asked.push(serverName);
        return { action: "accept", content: { ok: true } };
      },
      consent: (call) => {
        consented.push(call);
        return call.name !== "read";
      },
      audit: (entry) => audited.push(entry),
    });
    expect((await host.call("real__ask")).text).toBe("accept");
    expect(await host.call("real__read", { a: 1 })).toMatchObject({
      isError: true,
      text: "The user did not allow this call. Do not repeat it.",
      error: { code: "consent-refused" },
    });
    expect(asked).toEqual(["real"]);
    expect(consented[1]).toMatchObject({
      serverName: "real",
      serverId: "host:real",
      name: "read",
      arguments: { a: 1 },
      tool: { description: "The read of claims to be someone else" },
    });
    expect(audited.map(({ serverName, tool, name, outcome }) => [serverName, tool, name, outcome])).toEqual([
      ["real", "ask", "real__ask", "ok"],
      ["real", "read", "real__read", "refused"],
    ]);
  });

  test("rules of consentPolicy and pins are by the real server", async () => {
    const a = namedServer("a", "read");
    const host = await openTestHost({
      servers: { a, b: namedServer("b", "read") },
      consent: consentPolicy({ servers: { "host:a": "allow", "host:b": "deny" } }),
      pin: pinTools({ sharedNames: true, store: new Map() }),
    });
    expect((await host.call("a__read")).isError).toBe(false);
    expect((await host.call("b__read")).error).toMatchObject({ code: "consent-refused" });
    expect(names(await host.tools())).toEqual(["a__read", "b__read"]);
  });

  test("tools that the configuration does not allow are neither listed nor called", async () => {
    const entry = {
      ...plainEntry("read", "write", "purge"),
      includeTools: ["read", "purge"],
      disabledTools: [],
    };
    const servers = { a: { ...entry, excludeTools: ["purge"] }, off: { ...plainEntry("x"), disabled: true } };
    const host = await openTestHost({ servers } as HostOptions);
    expect(names(await host.tools())).toEqual(["a__read"]);
    expect((await host.call("a__write")).text).toBe('There is no tool "a__write".');
    expect((await host.call("a__purge")).isError).toBe(true);
    expect((await host.call("off__x")).isError).toBe(true);
    expect(host.server("off")?.state).toBe("disabled");
  });

  test("a tool that nobody has is a result for the model, with the name that may have been meant", async () => {
    const host = await openTestHost({ servers: { a: namedServer("a", "read") } });
    await host.tools();
    const unlike = ["nothing", "a__nothing", ""].map((name) => [name, "."]);
    const like = ["b__read", "__read", "a__raed"].map((name) => [name, '; did you mean "a__read"?']);
    for (const [name = "", hint] of [...unlike, ...like])
      expect(await host.call(name)).toMatchObject({
        isError: true,
        text: `There is no tool "${name}"${hint}`,
        error: { code: "rpc", wireCode: -32602, isReceived: false },
      });
  });

  test.each([
    ["elicitation", "ask the user", "the option elicit"],
    ["sampling", "ask a model", "the option sample"],
    ["roots", "know the folders of the user", "the option roots"],
  ])(
    "tells the model that a tool which needs %s can't run, and its author what to do",
    async (needs, words, advice) => {
      const server = namedServer("a");
      server.tool("ask", { needs: [needs] }, () => "asked");
      const host = await openTestHost({ servers: { a: server } });
      const { isError, text, error } = await host.call("a__ask");
      expect({ isError, text }).toEqual({
        isError: true,
        text: `The server "a" can't run this call here: it needs to ${words}, which this program does not support. Do not repeat it.`,
      });
      expect(error?.message).toContain(advice);
    },
  );

  test("gives the client of a server for everything else", async () => {
    const server = namedServer("a");
    server.resource("note://one", {}, () => "One");
    const host = await openTestHost({ servers: { a: server } });
    const client = await host.client("a");
    expect((await client.resources.read("note://one")).contents).toMatchObject([{ text: "One" }]);
    await expect(host.client("b")).rejects.toThrow('The host has no server "b".');
  });

  test.each([
    ["no servers", {}, "There are no servers: give config, which is the path of a file, or servers."],
    ["a misspelled option", { servers: {}, isolate: "shared" }, 'has no option "isolate"'],
    [
      "an unknown isolation",
      { servers: {}, isolation: "none" },
      '"shared" or "per-principal" or "per-session"',
    ],
    ["a broken entry", { servers: { a: { command: "" } } }, 'Server "a": its command is not a string.'],
    ["a missing file", { config: "/no/such/file.json" }, "There is no file"],
  ])("refuses %s", async (_what, options, message) => {
    await expect(openHost(options as HostOptions)).rejects.toThrow(message);
  });

  test("refuses arguments that are not an object", async () => {
    const host = await openTestHost({ servers: { a: namedServer("a", "read") } });
    await expect(host.call("a__read", "text" as never)).rejects.toThrow("takes a name and an object");
  });
});

test("a server whose entry can't be filled in is named once", async () => {
  const host = await openTestHost({
    servers: { bad: { command: "none", args: ["$" + "{env:NOT_SET_HERE}"] } },
  });
  const { error } = await host.call("bad__read");
  expect(String(error)).toContain('The server "bad" is not available: ');
  expect(String(error)).not.toContain('Server "bad":');
});
