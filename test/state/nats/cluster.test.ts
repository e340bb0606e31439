import { spawnSync } from "node:child_process";
import { UsageError } from "allspeak";
import type { State } from "allspeak/http";
import { nats } from "allspeak/state/nats";
import { stateContract } from "allspeak/testing/state";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findFreePort } from "../../support/free-port.ts";
import { createTemporaryFolder, type OnDone } from "../../support/temporary-folder.ts";
import { turns } from "../../support/turns.ts";
import { askJetStream, hasNats, OwnServer } from "./support.ts";

const size = 3;

/** True for a program that keeps the promises of a cluster; an older one may take two changes of one record. */
const keepsCopies = /v(?:2\.\d{2,}|[3-9])/.test(
  spawnSync("nats-server", ["--version"]).stdout?.toString() ?? "",
);
if (hasNats && !keepsCopies)
  console.log("The contract is not run on a cluster of NATS: its program is older than 2.10.");

/** Starts servers that keep copies of each other's streams. */
async function startCluster(onDone: OnDone): Promise<OwnServer[]> {
  const ports = await Promise.all(Array.from({ length: size }, () => findFreePort()));
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(",");
  return Promise.all(
    ports.map((port, at) => {
      const storing = ["-js", "-sd", createTemporaryFolder(onDone), "-n", `server-${at}`];
      const joining = [
        "--cluster_name",
        "three",
        "--cluster",
        `nats://127.0.0.1:${port}`,
        "--routes",
        routes,
      ];
      return OwnServer.start([...storing, ...joining], onDone);
    }),
  );
}

function toUrl(servers: readonly OwnServer[]): string {
  return servers.map(({ url }) => url).join(",");
}

/** Asks until the servers have found each other, chosen leaders and made the streams. */
async function untilReady(state: State): Promise<void> {
  for (let isReady = false; !isReady; )
    isReady = await Promise.all([
      state.values.get("key"),
      state.events.append("stream", ["first"], 1_000),
    ]).then(
      () => true,
      () => false,
    );
  await state.close();
}

describe.skipIf(!hasNats)("the state in a cluster of three servers of NATS", () => {
  if (keepsCopies) describe("that keep copies", testCluster);
  else it("is refused where the servers are too old for copies", testRefusal);
});

function testCluster(): void {
  const cleanups: Parameters<OnDone>[0][] = [];
  let url = "";
  beforeAll(async () => {
    url = toUrl(await startCluster((clean) => cleanups.unshift(clean)));
    await untilReady(open());
  }, 60_000);
  afterAll(async () => {
    for (const clean of cleanups) await clean();
  });

  const open = () => nats(url, { replicas: size, storage: "memory" });
  for (const { name, run } of stateContract(open, { runs: 2 })) it.concurrent(name, run, 60_000);

  it("promises to survive the end of a server, though it keeps everything in memory", async () => {
    const state = open();
    expect(await state.durability()).toMatchObject({ level: "store-crash" });
    await state.close();
  });

  it("goes on and opens anew without any one of its servers", { timeout: 60_000 }, async () => {
    const servers = await startCluster(onTestFinished);
    const openOwn = () => {
      const state = nats(toUrl(servers), { replicas: size, prefix: "alone" });
      onTestFinished(() => state.close());
      return state;
    };
    await untilReady(openOwn());
    const first = openOwn();
    await first.values.put("key", "kept", 600_000);
    for (const server of servers) {
      await server.kill();
      expect(await openOwn().values.get("key")).toBe("kept");
      expect(await readAgain(first, "key")).toBe("kept");
      await server.start();
      await untilHealthy(servers);
    }
  });
}

/** The value of a key, as soon as the state has another connection. */
async function readAgain({ values }: State, key: string): Promise<string | undefined> {
  for (;;)
    try {
      return await values.get(key);
    } catch {
      await turns(1);
    }
}

/** Asks until each stream has all of its copies again, so that the next server may leave. */
async function untilHealthy([first]: readonly OwnServer[]): Promise<void> {
  for (const name of ["state", "events", "queue"])
    for (let isHealthy = false; !isHealthy; )
      isHealthy = await askJetStream(`STREAM.INFO.alone_${name}`, {}, first?.url).then(
        ({ cluster }) => (cluster as Cluster).replicas.every(({ current, offline }) => current && !offline),
        () => false,
      );
}

interface Cluster {
  readonly replicas: readonly { readonly current: boolean; readonly offline?: boolean }[];
}

async function testRefusal(): Promise<void> {
  const server = await OwnServer.start();
  const state = nats(server.url, { replicas: size });
  onTestFinished(() => state.close());
  await expect(state.values.get("key")).rejects.toThrow(UsageError);
}
