import { type EventStore, memoryState, type State } from "allspeak/http";
import { describe, expect, it, onTestFinished } from "vitest";
import { IpcChannel } from "../../../src/node/workers/ipc-channel.ts";
import { remoteState } from "../../../src/node/workers/remote-state.ts";
import { hostState } from "../../../src/node/workers/state-host.ts";
import { withEvents } from "../../support/shared-state.ts";
import { createIpcEnds } from "./ipc-ends.ts";

/** A state that counts the watches of its streams. */
function countWatches(): { readonly state: State; readonly watches: () => number } {
  let watches = 0;
  const watch: EventStore["watch"] = () => {
    watches++;
    return () => void watches--;
  };
  return { state: withEvents(memoryState(), () => ({ watch })), watches: () => watches };
}

/** A primary that learns its state later, and a worker. */
function open() {
  const [primary, worker] = createIpcEnds();
  const counted = countWatches();
  let known: (state: State) => void = () => {};
  const state = new Promise<State>((resolve) => {
    known = resolve;
  });
  const stopHosting = hostState(new IpcChannel(primary), () => state);
  onTestFinished(stopHosting);
  const remote = remoteState(new IpcChannel(worker), 1);
  return { ...counted, remote, stopHosting, learn: () => known(counted.state) };
}

describe("a worker that watches a stream before the primary has the state", () => {
  it("leaves no watch behind when it stops at once", async () => {
    const { remote, learn, watches } = open();
    const stop = remote.events.watch("stopped", () => {});
    const stopOther = remote.events.watch("kept", () => {});
    stop();
    learn();
    await remote.values.get("any");
    expect(watches()).toBe(1);
    stopOther();
    await remote.values.get("any");
    expect(watches()).toBe(0);
  });

  it("leaves no watch behind when it ends", async () => {
    const { remote, learn, watches, stopHosting } = open();
    remote.events.watch("stream", () => {});
    const asked = remote.values.get("any");
    // The primary has its messages once it has begun to answer, which it does in their order.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    stopHosting();
    learn();
    await asked;
    expect(watches()).toBe(0);
  });
});
