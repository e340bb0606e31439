import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { UsageError } from "allspeak";
import type { State } from "allspeak/http";
import { describe, expect, it, onTestFinished } from "vitest";
import { askJetStream, hasNats, OwnServer, openState } from "./support.ts";

const longMs = 600_000;

/** The value of a key, as soon as the state answers again. */
async function readAgain({ values }: State, key: string): Promise<string | undefined> {
  for (;;) {
    try {
      return await values.get(key);
    } catch {
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
}

describe.skipIf(!hasNats)("a state in NATS whose server", () => {
  it("is killed and started again fails meanwhile, and goes on by itself with what it had", async () => {
    const server = await OwnServer.start();
    const state = openState({}, server.url);
    await state.values.put("key", "kept", longMs);
    let hints = 0;
    state.events.watch("stream", () => hints++);
    await server.kill();
    await expect(state.values.get("key")).rejects.toThrow();
    await expect(state.sessions.touch("id", longMs)).rejects.toThrow();
    await expect(state.counters.count("key", 1, longMs)).rejects.toThrow();
    await server.start();
    expect(await readAgain(state, "key")).toBe("kept");
    while (hints === 0) await state.events.append("stream", ["x"], longMs);
  });

  it("stands still fails within its time, and goes on by itself", async () => {
    const server = await OwnServer.start();
    const state = openState({}, server.url);
    await state.values.put("key", "kept", longMs);
    await server.freeze();
    await expect(state.values.get("key")).rejects.toThrow();
    await expect(state.counters.count("key", 1, longMs)).rejects.toThrow();
    server.thaw();
    expect(await readAgain(state, "key")).toBe("kept");
  });

  it("is not there yet fails, and goes on once it is", async () => {
    const server = await OwnServer.start();
    await server.kill();
    const state = openState({}, server.url);
    await expect(state.values.get("key")).rejects.toThrow();
    await expect(state.durability()).rejects.toThrow();
    await server.start();
    expect(await readAgain(state, "key")).toBeUndefined();
  });

  it("lost its streams makes them again", async () => {
    const server = await OwnServer.start();
    const state = openState({ prefix: "lost" }, server.url);
    await state.values.put("key", "gone", longMs);
    for (const name of ["state", "events", "queue"])
      await askJetStream(`STREAM.DELETE.lost_${name}`, {}, server.url);
    await expect(state.values.put("key", "x", longMs)).rejects.toThrow();
    await state.values.put("key", "again", longMs);
    expect(await state.values.get("key")).toBe("again");
  });

  it("has no JetStream is refused with what to do", async () => {
    const server = await OwnServer.start([]);
    const state = openState({}, server.url);
    await expect(state.values.get("key")).rejects.toThrow(UsageError);
    await expect(state.values.get("key")).rejects.toThrow(/has no JetStream; start it with -js/);
  });

  it("is too old is refused with the version that is needed", async () => {
    const old = createServer((socket) => {
      socket.on("error", () => {});
      socket.write('INFO {"server_id":"x","version":"2.8.4","headers":true,"max_payload":1048576}\r\n');
      socket.on("data", (data) => String(data).includes("PING") && socket.write("PONG\r\n"));
    });
    onTestFinished(() => void old.close());
    await once(old.listen(0, "127.0.0.1"), "listening");
    const state = openState({}, `nats://127.0.0.1:${(old.address() as AddressInfo).port}`);
    await expect(state.values.get("key")).rejects.toThrow(
      "needs nats-server 2.9 or newer; this one is 2.8.4",
    );
  });
});
