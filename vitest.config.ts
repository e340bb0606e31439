import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

type ProjectConfig = NonNullable<TestProjectInlineConfiguration["test"]>;

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

// In-process tests run the sources; child processes and test/package run what was built from them.
export const alias = [
  { find: /^#platform$/, replacement: source("platform/node.ts") },
  { find: /^allspeak$/, replacement: source("index.ts") },
  { find: /^allspeak\/auth$/, replacement: source("auth.ts") },
  { find: /^allspeak\/auth\/dev$/, replacement: source("auth-dev.ts") },
  { find: /^allspeak\/client$/, replacement: source("client.ts") },
  { find: /^allspeak\/host$/, replacement: source("host.ts") },
  { find: /^allspeak\/inspector$/, replacement: source("inspector.ts") },
  { find: /^allspeak\/bridge$/, replacement: source("bridge.ts") },
  { find: /^allspeak\/gateway$/, replacement: source("gateway.ts") },
  { find: /^allspeak\/otel$/, replacement: source("otel.ts") },
  { find: /^allspeak\/http$/, replacement: source("http.ts") },
  { find: /^allspeak\/node$/, replacement: source("node.ts") },
  { find: /^allspeak\/state\/redis$/, replacement: source("state-redis.ts") },
  { find: /^allspeak\/state\/nats$/, replacement: source("state-nats.ts") },
  { find: /^allspeak\/state\/sqlite$/, replacement: source("state-sqlite.ts") },
  { find: /^allspeak\/state\/postgres$/, replacement: source("state-postgres.ts") },
  { find: /^allspeak\/tasks$/, replacement: source("tasks.ts") },
  { find: /^allspeak\/testing$/, replacement: source("testing.ts") },
  { find: /^allspeak\/testing\/state$/, replacement: source("testing-state.ts") },
];

// The suffix of a test's name is its kind, and a kind runs in one project.
const built = [
  "test/{conformance,examples,package,types}/**/*.test.ts",
  "test/**/*.{matrix,process}.test.ts",
];
// Other software: official SDKs, other runtimes, bundlers, a newer Node, a project of a user; thousands of simulated schedules.
const others = [
  "test/{interop,runtimes}/**/*.test.ts",
  "test/bridge/{everything.process,odd-servers.abuse}.test.ts",
  "test/cli/new-user.process.test.ts",
  "test/inspector/connect/official-servers.test.ts",
  "test/package/bundlers.test.ts",
  "test/matrix/nodes/sqlite.process.test.ts",
  "test/chaos/simulation.test.ts",
  "test/cluster/store-outage.test.ts",
  // The contract of a state is kept by another client of Redis elsewhere, and one browser shows the page at work.
  "test/state/redis/other-clients.test.ts",
  "test/state/{nats,postgres}/server-away.test.ts",
  "test/inspector/page/{broken-server,connect,forms,makers,newcomer,return,secrets,servers,studio}.process.test.ts",
];
const bridged = ["test/**/*.{e2e,matrix}.test.ts"];
// They have no case of a place: pipes and negotiation end at a bridge.
const notBridged = [
  "test/lifecycle/{lifecycle,every-revision-at-once}.matrix.test.ts",
  "test/negotiation/negotiation.matrix.test.ts",
];
// Those of `describeRevisions` take five times as long, and a store changes them no more than a transport does.
const isWholeAtNodes = process.env.ALLSPEAK_ALL_AT_NODES !== undefined;
export const atNodes: string[] = [`test/**/*.${isWholeAtNodes ? "{e2e,matrix}" : "matrix"}.test.ts`];
// They have no case of a place, or are about a program.
export const notAtNodes: string[] = [...notBridged, "test/examples/everything.matrix.test.ts"];
const fuzz = ["test/**/*.fuzz.test.ts"];
// The contract of a state has random cases, too. In memory and in Redis, a few of them are part of `npm test`.
const wideContracts = ["test/state/{nats,postgres}/contract.test.ts", "test/state/sqlite-contract.test.ts"];
const contracts = [
  "test/state/memory-contract.test.ts",
  "test/state/redis/contract.test.ts",
  ...wideContracts,
];
const load = ["test/**/*.load.test.ts"];
const chaos = ["test/chaos/*.load.test.ts"];
// They need a newer Node than we do; test/state/sqlite.process.test.ts starts them with one.
const sqlite = ["test/state/sqlite/**"];
const build = ["test/setup/build.ts"];
/** Programs take long to start on a busy machine. */
const programMs = 60_000;

/** A project. Its files share the modules that a worker has loaded: to load them for each would take longer than the tests. */
const project = (test: ProjectConfig): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    isolate: false,
    sequence: { groupOrder: 0 },
    ...test,
    exclude: [...configDefaults.exclude, ...(test.exclude ?? [])],
  },
});

// Every behaviour once, without other software: `npm test`.
const once = [
  // Everything that this process can do alone.
  project({
    name: "source",
    include: ["test/**/*.test.ts"],
    exclude: [...built, ...others, ...wideContracts, ...load, ...sqlite],
  }),
  // What starts programs, or reads what was built.
  project({
    name: "built",
    include: built,
    exclude: [...others, ...load],
    globalSetup: build,
    testTimeout: programMs,
  }),
];

// The same behaviour in other places, and under load: `npm run test:wide`.
const wide = [
  project({ name: "others", include: others, globalSetup: build, testTimeout: programMs }),
  // Random input, with all of its cases: `npm test` tries a few.
  project({ name: "fuzz", include: [...fuzz, ...contracts], provide: { fuzz: "whole" } }),
  // The cases of every revision once more, through a bridge: clients of each before servers of each.
  project({
    name: "bridge",
    include: bridged,
    exclude: notBridged,
    provide: { through: "bridge" },
    globalSetup: build,
  }),
  // What a transport can change, once more for every revision at three nodes over each store.
  project({
    name: "nodes",
    include: atNodes,
    exclude: notAtNodes,
    // SQLite needs a newer Node: test/matrix/nodes/sqlite.process.test.ts starts one.
    provide: { stores: ["Redis", "PostgreSQL", "NATS"] },
  }),
  // What measures time or memory, or fills the machine: one file at a time, and nothing beside it.
  project({
    name: "load",
    isolate: true,
    include: load,
    exclude: chaos,
    globalSetup: build,
    maxWorkers: 1,
    sequence: { groupOrder: 1 },
  }),
  // Nodes and stores that are killed, frozen and cut off. They mostly wait, so all stores are tried at once.
  project({
    name: "chaos",
    isolate: true,
    include: chaos,
    globalSetup: build,
    maxWorkers: 5,
    sequence: { groupOrder: 2 },
  }),
];

export default defineConfig({
  resolve: { alias },
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    setupFiles: ["test/setup/leftovers.ts", "test/setup/wire-schema.ts"],
    // One more than a small machine has cores, since tests also wait: for processes, stores and timers.
    maxWorkers: 3,
    projects: [...once, ...wide],
  },
});
