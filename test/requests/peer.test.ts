import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { IncomingRequest, Receiver } from "../../src/contract/channel.ts";
import type { Pipe } from "../../src/contract/pipe.ts";
import { CancelledError, ConnectionClosedError, RpcError, TimeoutError } from "../../src/errors.ts";
import { createClientPeer } from "../../src/peer/client-peer.ts";
import { type EnvelopeRules, Peer, type PeerOptions } from "../../src/peer/peer.ts";
import { createMemoryPipe } from "../../src/transports/memory/pipe.ts";

type Wire = Record<string, unknown>;

/** The far end of a pipe, as raw messages. */
class FarEnd {
  readonly #pipe: Pipe;
  readonly #arrived: Wire[] = [];
  #wake: () => void = () => {};

  constructor(pipe: Pipe) {
    this.#pipe = pipe;
    pipe.start({
      onText: (text) => {
        this.#arrived.push(JSON.parse(text));
        this.#wake();
      },
      onUnreadable: () => {},
      onStrayOutput: () => {},
      onClose: () => {},
    });
  }

  say(message: unknown): void {
    void this.#pipe.write(typeof message === "string" ? message : JSON.stringify(message));
  }

  async next(): Promise<Wire> {
    while (this.#arrived.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#arrived.shift() as Wire;
  }

  /** All that has arrived once everything under way has been delivered. */
  async settled(): Promise<Wire[]> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.#arrived.splice(0);
  }

  close(): Promise<void> {
    return this.#pipe.close();
  }
}

interface Setup {
  readonly onRequest?: (request: IncomingRequest) => unknown;
  readonly side?: "client" | "server";
  readonly revision?: EnvelopeRules;
}

function open({ onRequest = () => ({}), side = "server", revision }: Setup = {}) {
  const [near, far] = createMemoryPipe();
  const problems: Error[] = [];
  const notifications: string[] = [];
  const closes: Error[] = [];
  const receiver: Receiver = {
    onRequest,
    onNotification: (method) => void notifications.push(method),
    onProblem: (problem) => void problems.push(problem),
    onClose: (reason) => void closes.push(reason),
  };
  const create =
    side === "client" ? createClientPeer : (pipe: Pipe, options: PeerOptions) => new Peer(pipe, options);
  const peer = create(near, { receiver, revision: () => revision });
  peer.start();
  return { peer, far: new FarEnd(far), problems, notifications, closes };
}

const request = (id: unknown, method = "m", params?: unknown) => ({ jsonrpc: "2.0", id, method, params });

describe("answering", () => {
  it("repeats the id in its own type", async () => {
    const { far } = open({ onRequest: ({ id }) => ({ type: typeof id }) });
    far.say(request(1));
    expect(await far.next()).toEqual({ jsonrpc: "2.0", id: 1, result: { type: "number" } });
    far.say(request("1"));
    expect(await far.next()).toEqual({ jsonrpc: "2.0", id: "1", result: { type: "string" } });
  });

  it("sends what was thrown for the wire, and masks anything else", async () => {
    const { far, problems } = open({
      onRequest: ({ method }) => {
        throw method === "own" ? new RpcError(-32602, "no", { why: 1 }) : new Error("password=1234");
      },
    });
    far.say(request(1, "own"));
    expect(await far.next()).toMatchObject({ error: { code: -32602, message: "no", data: { why: 1 } } });
    far.say(request(2, "other"));
    expect(await far.next()).toMatchObject({ error: { code: -32603, message: "Internal error" } });
    expect(problems).toMatchObject([{ message: "password=1234" }]);
  });

  it("answers a result that can't be encoded with an error", async () => {
    const circular: Wire = {};
    circular.self = circular;
    const { far } = open({ onRequest: () => circular });
    far.say(request(1));
    expect(await far.next()).toMatchObject({ id: 1, error: { code: -32603 } });
  });

  it("refuses a second request with an id that is still being answered", async () => {
    let finish: (value: unknown) => void = () => {};
    const { far } = open({
      onRequest: () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    });
    far.say(request(7));
    far.say(request(7));
    expect(await far.next()).toMatchObject({ id: 7, error: { code: -32600 } });
    finish({ first: true });
    expect(await far.next()).toMatchObject({ id: 7, result: { first: true } });
  });

  it("aborts a cancelled request and sends nothing more for it", async () => {
    let signal: AbortSignal | undefined;
    const { far } = open({
      onRequest: (inbound) => {
        signal = inbound.signal;
        return new Promise((resolve) =>
          inbound.signal.addEventListener("abort", () => resolve({ late: true })),
        );
      },
    });
    far.say(request(0));
    far.say({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 0, reason: "enough" },
    });
    expect(await far.settled()).toEqual([]);
    expect(signal?.aborted).toBe(true);
    expect(String(signal?.reason)).toContain("enough");
  });

  it("does not let initialize be cancelled", async () => {
    let finish: (value: unknown) => void = () => {};
    const { far } = open({
      onRequest: () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    });
    far.say(request(1, "initialize"));
    far.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await far.settled();
    finish({ opened: true });
    expect(await far.next()).toMatchObject({ id: 1, result: { opened: true } });
  });

  it("a signal looked at after the cancellation is aborted all the same", async () => {
    let look: () => AbortSignal | undefined = () => undefined;
    const { far } = open({
      onRequest: (inbound) => {
        look = () => inbound.signal;
        return new Promise(() => {});
      },
    });
    far.say(request(1));
    far.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await far.settled();
    expect(look()?.aborted).toBe(true);
  });

  it("aborts what is under way when the connection goes", async () => {
    let signal: AbortSignal | undefined;
    const { far, closes } = open({
      onRequest: (inbound) => {
        signal = inbound.signal;
        return new Promise(() => {});
      },
    });
    far.say(request(1));
    await far.settled();
    await far.close();
    expect(signal?.aborted).toBe(true);
    expect(closes).toHaveLength(1);
  });
});

describe("what can't be read", () => {
  it("is answered by a server, without an id unless the revision has null for it", async () => {
    const before = open();
    before.far.say("garbage");
    expect(await before.far.next()).toEqual({
      jsonrpc: "2.0",
      error: { code: -32700, message: expect.any(String) },
    });
    const after = open({
      revision: { receivesBatches: false, unreadableId: "null", cancelsByClosing: false, asking: "live" },
    });
    after.far.say("garbage");
    expect(await after.far.next()).toMatchObject({ id: null, error: { code: -32700 } });
  });

  it("is only reported by a client", async () => {
    const { far, problems } = open({ side: "client" });
    far.say("garbage");
    expect(await far.settled()).toEqual([]);
    expect(problems).toHaveLength(1);
  });
});

describe("cancellation", () => {
  it.each(["notifications/cancelled", "cancelled"])("of a request is taken as %s", async (method) => {
    let reason: unknown;
    const { far } = open({
      onRequest: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            resolve({});
          });
        }),
    });
    far.say(request(1));
    far.say({ jsonrpc: "2.0", method, params: { requestId: 1, reason: "enough" } });
    expect(await far.settled()).toEqual([]);
    expect(reason).toBeInstanceOf(CancelledError);
  });
});

describe("batches", () => {
  const revision: EnvelopeRules = {
    receivesBatches: true,
    unreadableId: "null",
    cancelsByClosing: false,
    asking: "live",
  };

  it("are answered as a batch, notifications and all", async () => {
    const { far, notifications } = open({ revision, onRequest: ({ id }) => ({ id }) });
    far.say([request(1), { jsonrpc: "2.0", method: "n" }, request(2), 5]);
    const replies = (await far.next()) as unknown as Wire[];
    expect(replies.map(({ id }) => id)).toEqual([1, 2, null]);
    expect(notifications).toEqual(["n"]);
  });

  it("of notifications get no answer", async () => {
    const { far } = open({ revision });
    far.say([{ jsonrpc: "2.0", method: "n" }]);
    expect(await far.settled()).toEqual([]);
  });

  it("may not hold initialize", async () => {
    const { far } = open({ revision });
    far.say([request(1, "initialize"), request(2)]);
    const replies = (await far.next()) as unknown as Wire[];
    expect(replies).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: 2, result: {} },
    ]);
  });

  it("are refused whole where the revision has none", async () => {
    let handled = 0;
    const { far } = open({ onRequest: () => ++handled });
    far.say([request(1), request(2)]);
    expect(await far.next()).toMatchObject({ error: { code: -32600 } });
    expect(handled).toBe(0);
  });
});

describe("asking", () => {
  it("takes the answer with exactly its own id", async () => {
    const { peer, far, problems } = open({ side: "client" });
    const reply = peer.request("m", {});
    const { id } = await far.next();
    far.say({ jsonrpc: "2.0", id: String(id), result: { wrong: true } });
    far.say({ jsonrpc: "2.0", id, result: { right: true } });
    expect(await reply).toEqual({ right: true });
    expect(problems).toHaveLength(1);
  });

  it("gives the peer's error with its code and data", async () => {
    const { peer, far } = open({ side: "client" });
    const reply = peer.request("m", {});
    const { id } = await far.next();
    far.say({ jsonrpc: "2.0", id, error: { code: -32002, message: "gone", data: { uri: "x" } } });
    await expect(reply).rejects.toMatchObject({
      code: "rpc",
      wireCode: -32002,
      message: "gone",
      data: { uri: "x" },
    });
  });

  it("cancels by a notification, and drops the late answer without a word", async () => {
    const { peer, far, problems } = open({ side: "client" });
    const abort = new AbortController();
    const reply = peer.request("m", {}, { signal: abort.signal });
    const { id } = await far.next();
    abort.abort("changed my mind");
    await expect(reply).rejects.toBeInstanceOf(CancelledError);
    expect(await far.next()).toMatchObject({ method: "notifications/cancelled", params: { requestId: id } });
    far.say({ jsonrpc: "2.0", id, result: {} });
    await far.settled();
    expect(problems).toEqual([]);
  });

  it("never cancels initialize, and sends nothing for a signal that was aborted before", async () => {
    const { peer, far } = open({ side: "client" });
    await expect(peer.request("initialize", {}, { timeout: { idle: 5 } })).rejects.toBeInstanceOf(
      TimeoutError,
    );
    await expect(peer.request("m", {}, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(
      CancelledError,
    );
    expect((await far.settled()).map(({ method }) => method)).toEqual(["initialize"]);
  });

  it("gives up after silence and tells the peer; the connection goes on", async () => {
    const { peer, far } = open({ side: "client" });
    await expect(peer.request("m", {}, { timeout: { idle: 5 } })).rejects.toMatchObject({ limit: "idle" });
    const [, cancelled] = await far.settled();
    expect(cancelled).toMatchObject({ method: "notifications/cancelled" });
    const next = peer.request("m", {});
    const { id } = await far.next();
    far.say({ jsonrpc: "2.0", id, result: { ok: true } });
    expect(await next).toEqual({ ok: true });
  });

  it("progress postpones the idle limit but not the total", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { peer, far } = open({ side: "client" });
    const seen: number[] = [];
    const reply = peer.request(
      "m",
      { _meta: { own: 1 } },
      { timeout: { idle: 40, total: 120 }, onProgress: ({ progress }) => void seen.push(progress) },
    );
    const { params } = (await far.next()) as { params: { _meta: { progressToken: number; own: number } } };
    expect(params._meta.own).toBe(1);
    const { progressToken } = params._meta;
    const ended = expect(reply).rejects.toMatchObject({ code: "timeout", limit: "total" });
    for (let progress = 1; progress <= 4; progress++) {
      await vi.advanceTimersByTimeAsync(29);
      far.say({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress } });
    }
    await vi.advanceTimersByTimeAsync(4);
    await ended;
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it("refuses a limit that is no number, instead of waiting for ever", async () => {
    const { peer } = open({ side: "client" });
    await expect(peer.request("m", {}, { timeout: { idle: Number.NaN } })).rejects.toMatchObject({
      code: "usage",
    });
  });

  it("rejects all that wait when the connection goes, and all that is asked after", async () => {
    const { peer, far } = open({ side: "client" });
    const replies = [peer.request("a", {}), peer.request("b", {})];
    await far.settled();
    await far.close();
    const outcomes = await Promise.allSettled([...replies, peer.request("c", {})]);
    expect(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason)).toEqual(
      Array(3).fill(expect.any(ConnectionClosedError)),
    );
  });

  it("reports answers to questions that were never asked", async () => {
    const { far, problems } = open({ side: "client" });
    far.say({ jsonrpc: "2.0", id: 99, result: {} });
    await far.settled();
    expect(problems).toHaveLength(1);
  });
});
