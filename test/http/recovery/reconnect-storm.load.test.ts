import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Client, connect } from "allspeak/client";
import { afterAll, beforeAll, expect, it } from "vitest";

const program = fileURLToPath(new URL("fixtures/http-storm.mjs", import.meta.url));
const crowd = 1_000;
const uris = ["storm://before", "storm://during", "storm://after"];

let child: ChildProcess;
let url: string;
beforeAll(async () => {
  child = fork(program);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  url = `http://127.0.0.1:${port}/mcp`;
});
afterAll(async () => {
  child.send({ what: "close" });
  await once(child, "exit");
});

/** Has the server do something, and gives when, since the last cut, streams were asked for again. */
async function tell(message: object): Promise<number[]> {
  child.send(message);
  const [{ times }] = (await once(child, "message")) as [{ times: number[] }];
  return times;
}

/** All clients, and what each of them heard. */
class Crowd {
  readonly clients: Client[] = [];
  readonly heard: string[][] = [];
  readonly problems: Error[] = [];
  #onHeard: () => void = () => {};

  async join(): Promise<void> {
    const heard: string[] = [];
    const client = await connect(url, {
      hint: { revision: "2025-11-25", shape: "streamable" },
      onProblem: (problem) => this.problems.push(problem),
    });
    this.clients.push(client);
    this.heard.push(heard);
    await client.subscribe({ resources: uris }, (change) => {
      if (change.kind === "resource") heard.push(change.uri);
      this.#onHeard();
    });
  }

  /** Resolves when everybody has heard of so many updates. */
  async haveHeard(count: number): Promise<void> {
    while (this.heard.some((uris) => uris.length < count))
      await new Promise<void>((resolve) => {
        this.#onHeard = resolve;
      });
  }

  async leave(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
  }
}

/** The largest number of times within a tenth of a second. */
function fullest(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(...sorted.map((from) => sorted.filter((at) => at >= from && at < from + 100).length));
}

/** Cuts all connections, and gives when streams were asked for again once everybody has heard of everything. */
async function storm(all: Crowd, round: number): Promise<number[]> {
  const heardBefore = round * uris.length;
  await tell({ what: "update", uri: "storm://before" });
  await all.haveHeard(heardBefore + 1);
  await tell({ what: "cut" });
  await tell({ what: "update", uri: "storm://during" });
  await all.haveHeard(heardBefore + 2);
  await tell({ what: "update", uri: "storm://after" });
  await all.haveHeard(heardBefore + 3);
  return tell({});
}

it("a thousand clients that are cut at once come back spread out, in time, and miss nothing", async () => {
  const all = new Crowd();
  for (let joined = 0; joined < crowd; joined += 50)
    await Promise.all(Array.from({ length: 50 }, () => all.join()));
  while ((await tell({})).length < crowd);

  // A machine that stalls makes clients come in together, never apart: the best of a few cuts shows what they do.
  let best = crowd;
  let rounds = 0;
  while (best > crowd / 5 && rounds < 4) {
    const times = await storm(all, rounds++);
    expect(times).toHaveLength(crowd);
    expect(Math.max(...times)).toBeLessThan(35_000);
    best = Math.min(best, fullest(times));
  }
  expect(best).toBeLessThanOrEqual(crowd / 5);
  const everything = Array.from({ length: rounds }, () => uris).flat();
  expect(all.heard.filter((heard) => heard.join() !== everything.join())).toEqual([]);
  expect(all.problems).toEqual([]);
  await all.leave();
}, 90_000);
