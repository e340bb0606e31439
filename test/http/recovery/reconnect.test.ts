import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CallLostError } from "../../../src/errors.ts";
import { openHttp } from "../../support/http/open-http.ts";
import {
  done,
  type Handler,
  ScriptedHttp,
  sessionScript,
  type Visit,
} from "../../support/http/scripted-http.ts";
import { hurry } from "../../support/hurry.ts";
import { failure } from "../../support/open-client.ts";

/** The stream beside the requests is not offered; that of a broken call is. */
const resumed =
  (handler: Handler): Handler =>
  (visit) =>
    visit.headers["last-event-id"] === undefined ? visit.send(405) : handler(visit);

function finish(call: Visit, on: Visit): void {
  on.event({ id: call.body.id, result: done }, { id: "end" }).end();
}

describe("the stream of a call", () => {
  test.each<[string, (visit: Visit) => void]>([
    ["ends", (visit) => visit.end()],
    ["breaks", (visit) => visit.cut()],
  ])("that %s before the answer is resumed after the last event", async (_, stop) => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => {
          visit.stream().event("", { id: "first", retry: 300 });
          visit.event(
            { method: "notifications/message", params: { level: "info", data: 1 } },
            { id: "second" },
          );
          setImmediate(() => stop(visit));
        },
        GET: resumed(async (visit) => {
          visit.stream().event({ method: "notifications/message", params: { level: "info", data: 2 } });
          finish(await server.saw("tools/call"), visit);
        }),
      }),
    );
    const logged: unknown[] = [];
    const { client, problems } = await openHttp(server, { onLog: ({ data }) => logged.push(data) });
    expect(await client.tools.call("anything")).toEqual(done);
    const { headers, at } = await server.saw("GET", 1);
    expect(headers).toMatchObject({ "last-event-id": "second", "mcp-session-id": "session-1" });
    // No sooner than the server asked for; timers may be a little early.
    expect(at - (await server.saw("tools/call")).at).toBeGreaterThan(290);
    expect(logged).toEqual([1, 2]);
    expect(problems).toEqual([]);
  });

  test("is resumed as often as it takes, each time from where it broke", async () => {
    hurry();
    let resumptions = 0;
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => visit.stream().event("", { id: "e0" }).end(),
        GET: resumed(async (visit) => {
          visit.stream();
          if (++resumptions < 3) visit.event("", { id: `e${resumptions}` }).end();
          else finish(await server.saw("tools/call"), visit);
        }),
      }),
    );
    const { client } = await openHttp(server);
    expect(await client.tools.call("anything")).toEqual(done);
    const ids = server.of("GET").map(({ headers }) => headers["last-event-id"]);
    expect(ids.filter(Boolean)).toEqual(["e0", "e1", "e2"]);
  });

  test.each([404, 400, 405, 500])("that may not be resumed (%i) loses the call at once", async (status) => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => visit.stream().event("", { id: "e0" }).end(),
        GET: (visit) => visit.send(status, "No such stream."),
      }),
    );
    const { client } = await openHttp(server);
    const error = await failure(client.tools.call("anything"));
    expect(error).toMatchObject({ code: "call-lost", mayRetry: false });
    await client.ping();
  });

  test("is resumed by a second attempt when the first one breaks, too, however late it is", async () => {
    hurry();
    let attempts = 0;
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => visit.stream().event("", { id: "e0", retry: 1000 }).end(),
        GET: resumed(async (visit) => {
          if (++attempts === 1) return visit.cut();
          visit.stream();
          finish(await server.saw("tools/call"), visit);
        }),
      }),
    );
    const { client } = await openHttp(server);
    expect(await client.tools.call("anything")).toEqual(done);
    expect(attempts).toBe(2);
  });

  test("is resumed once a server that was busy takes requests again", async () => {
    hurry();
    let refusals = 0;
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => visit.stream().event("", { id: "e0" }).end(),
        GET: resumed(async (visit) => {
          if (++refusals < 3) return visit.send(503, "The store is away.", { "retry-after": "0" });
          visit.stream();
          finish(await server.saw("tools/call"), visit);
        }),
      }),
    );
    const { client } = await openHttp(server);
    expect(await client.tools.call("anything")).toEqual(done);
    expect(refusals).toBe(3);
  });

  test("without event ids loses the call at once, without a GET", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", { "tools/call": (visit) => visit.stream().write(":\n\n").end() }),
    );
    const { client } = await openHttp(server);
    const error = await failure(client.tools.call("anything"));
    expect(error).toBeInstanceOf(CallLostError);
    expect(error).toMatchObject({ lost: "connection", mayRetry: false });
    expect(server.of("GET").length).toBe(1);
  });

  test("with ids that no header can carry can't be resumed", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => visit.stream().event("", { id: "größer" }).end(),
      }),
    );
    const { client } = await openHttp(server);
    expect(await failure(client.tools.call("anything"))).toBeInstanceOf(CallLostError);
  });

  test("of a server that was killed loses the call within two seconds", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => visit.stream().event("", { id: "e0", retry: 1000 }),
      }),
    );
    const { client } = await openHttp(server);
    const call = failure(client.tools.call("anything"));
    await server.saw("tools/call");
    const killedAt = performance.now();
    const { port } = server;
    await server.stop();
    expect(await call).toMatchObject({ code: "call-lost", mayRetry: false });
    expect(performance.now() - killedAt).toBeLessThan(2_000);
    await server.listen(port);
    await client.ping();
  });

  test("is not resumed once the call is given up", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", { "tools/call": (visit) => visit.stream().event("", { id: "e0" }).end() }),
    );
    const { client } = await openHttp(server);
    const controller = new AbortController();
    const call = failure(client.tools.call("anything", {}, { signal: controller.signal }));
    await (await server.saw("tools/call")).gone;
    controller.abort();
    expect(await call).toMatchObject({ code: "cancelled" });
    await server.saw("notifications/cancelled");
    await client.close();
    expect(server.of("GET").length).toBe(1);
  });
});

describe("the stream beside the calls", () => {
  test("is opened again when it breaks, after the last event", async () => {
    hurry();
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        GET: (visit) => {
          visit.stream();
          if (visit.headers["last-event-id"]) visit.event({ method: "notifications/tools/list_changed" });
          else visit.event("", { id: "here" }).end();
        },
      }),
    );
    const heard = new Promise((resolve) => {
      void openHttp(server, { onNotification: resolve });
    });
    expect(await heard).toBe("notifications/tools/list_changed");
    expect((await server.saw("GET", 1)).headers["last-event-id"]).toBe("here");
  });

  test("begins anew when the server has forgotten the event", async () => {
    hurry();
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        GET: (visit) => {
          if (visit.headers["last-event-id"]) return visit.send(400, "No such event");
          return server.of("GET").length === 1
            ? visit.stream().event("", { id: "here" }).end()
            : visit.stream().event({ method: "notifications/prompts/list_changed" });
        },
      }),
    );
    const heard = new Promise((resolve) => {
      void openHttp(server, { onNotification: resolve });
    });
    expect(await heard).toBe("notifications/prompts/list_changed");
    expect(server.of("initialize").length).toBe(1);
  });

  test("waits for a server that is busy, but not for ever for one that never opened it", async () => {
    hurry();
    const statuses = [503, 409];
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        GET: (visit) => {
          const status = statuses.shift();
          return status ? visit.send(status) : visit.stream();
        },
      }),
    );
    const { problems } = await openHttp(server);
    await server.saw("GET", 2);
    expect(problems).toEqual([]);
  });

  test("is asked for again no sooner than a busy server wants", async () => {
    hurry();
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        GET: (visit) =>
          server.of("GET").length === 1 ? visit.send(503, "Busy.", { "retry-after": "2" }) : visit.stream(),
      }),
    );
    await openHttp(server);
    const { at } = await server.saw("GET", 0);
    // Timers may be a little early.
    expect((await server.saw("GET", 1)).at - at).toBeGreaterThan(1_990);
  });

  test("of a server that closes it at once and says `retry: 0` is asked for at most 6 times in 5 seconds", async () => {
    const server = await ScriptedHttp.start(sessionScript("2025-11-25", {}));
    const asked: number[] = [];
    const closesAtOnce: typeof fetch = async (input, init) => {
      if (init?.method !== "GET") return fetch(input, init);
      asked.push(performance.now());
      return new Response("id: x\nretry: 0\ndata:\n\n", { headers: { "content-type": "text/event-stream" } });
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    await openHttp(server, { http: { fetch: closesAtOnce } });
    await vi.advanceTimersByTimeAsync(5_000);
    const times = asked.map((at) => at - (asked[0] ?? 0));
    expect(times.length).toBeGreaterThan(2);
    expect(times.length).toBeLessThanOrEqual(6);
    for (const [index, at] of times.entries()) {
      const before = times[index - 1];
      if (before !== undefined) expect(at - before).toBeGreaterThan(240);
    }
  });

  test("that falls silent after signs of life is opened again", async () => {
    hurry();
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", { GET: (visit) => visit.stream().write(":\n\n") }),
    );
    const { client } = await openHttp(server, { http: { silenceMs: 50 } });
    await (await server.saw("GET")).gone;
    await server.saw("GET", 1);
    await client.ping();
    expect(server.of("initialize").length).toBe(1);
  });

  test("that is silent by nature is left alone", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        GET: (visit) => visit.stream().event("", { id: "x" }),
      }),
    );
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { client } = await openHttp(server, { http: { silenceMs: 20 } });
    await server.saw("GET");
    await client.ping();
    // Long after the silence would have been too much.
    await vi.advanceTimersByTimeAsync(10_000);
    await client.ping();
    expect(server.of("GET").length).toBe(1);
  });
});
