import { setMaxListeners } from "node:events";
import {
  type ClientOptions,
  type JSONRPCMessage,
  Client as OfficialClient,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createMemoryPipe, servePipe } from "allspeak";
import { connect } from "allspeak/client";
import { echoed, wires } from "../load/wire.ts";
import { measureInRounds, median, medianRatio } from "../report/rounds.ts";
import { type Figure, formatNumber, type Report, type Table } from "../report/table.ts";
import { serverPath } from "../servers/contender.ts";
import { ServerProcess } from "../servers/server-process.ts";
import { createEcho } from "../servers/shared/echo.ts";

/** A client that is connected to the server. */
interface Caller {
  readonly name: string;
  call(): Promise<unknown>;
  close(): Promise<void>;
}

const revisions = ["2025-11-25", "2026-07-28"] as const;
type Revision = (typeof revisions)[number];
const info = { name: "bench", version: "1.0.0" };
const inFlight = 32;
const rounds = 9;
const loadMs = 250;
/** Rounds in which the code of all clients becomes quick. */
const warmUpRounds = 4;
const leastTimes = 4;

/** Calls of one `echo` tool by our client and by the official one, to the same server of ours. */
export async function benchClient(): Promise<Report> {
  const tables: Table[] = [];
  const figures: Figure[] = [];
  for (const [transport, open] of Object.entries(transports)) {
    for (const revision of revisions) {
      const what = `client over ${transport}, ${revision}`;
      const { callers, server, stop } = await open(revision);
      const { table, times } = await compare(what, callers, server);
      await Promise.all([...callers, ...(server ? [server] : [])].map((caller) => caller.close()));
      await stop?.();
      tables.push(table);
      figures.push({
        what: `${what}, CPU, times less`,
        measured: times,
        bound: "at least",
        limit: leastTimes,
      });
    }
  }
  return { tables, figures };
}

interface Opened {
  /** The first is what the others are measured by. */
  readonly callers: readonly Caller[];
  /** The server alone, where it runs in this process; its time is not that of the clients. */
  readonly server?: Caller;
  readonly stop?: () => Promise<void>;
}

const transports: Readonly<Record<string, (revision: Revision) => Promise<Opened>>> = {
  HTTP: async (revision) => {
    const server = await ServerProcess.start("http/allspeak");
    const transport = new StreamableHTTPClientTransport(server.url, { fetch: fetchQuietly });
    const callers = [await official(transport, revision), await ours(server.url.href, revision)];
    return { callers, stop: () => server.stop() };
  },
  stdio: async (revision) => {
    const command = { command: process.execPath, args: [serverPath("stdio/allspeak")] };
    const transport = new StdioClientTransport(command);
    return { callers: [await official(transport, revision), await ours(command, revision)] };
  },
  memory: async (revision) => ({
    callers: [await official(new PipeTransport(), revision), await ours(createEcho(), revision)],
    server: await serverAlone(revision),
  }),
};

/**
 * The official client gives all of its requests one signal, and `fetch` listens to it until each request is collected.
 * Node warns about that more than a thousand times, which would count as time of the calls.
 */
const fetchQuietly: typeof fetch = (url, init) => {
  if (init?.signal) setMaxListeners(0, init.signal);
  return fetch(url, init);
};

interface Load {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

async function compare(what: string, callers: readonly Caller[], server?: Caller) {
  const measured = server ? [...callers, server] : callers;
  for (const { name, call } of measured) {
    const result = JSON.stringify(await call());
    if (!result.includes(echoed)) throw new Error(`Unexpected result of ${name}: ${result}`);
  }
  const runs = measured.map(
    ({ call }) =>
      () =>
        load(call),
  );
  await measureInRounds(warmUpRounds, runs);
  const loads = await measureInRounds(rounds, runs);
  const all = (at: number, key: keyof Load) => (loads[at] ?? []).map((one) => one[key]);
  const serverMicros = server ? median(all(callers.length, "cpuMicros")) : 0;
  const own = (at: number) => all(at, "cpuMicros").map((micros) => micros - serverMicros);
  const cpuTimes = callers.map((_, at) => medianRatio(own(0), own(at)));
  const without = server ? `, without the server's ${serverMicros.toFixed(1)} us` : "";
  const table: Table = {
    title: `${what}, tools/call, ${inFlight} in flight${without}`,
    header: ["client", "CPU per call, us", "times less", "calls/s", "times more"],
    rows: callers.map(({ name }, at) => [
      name,
      median(own(at)).toFixed(1),
      formatNumber(cpuTimes[at] ?? Number.NaN),
      formatNumber(median(all(at, "perSecond"))),
      formatNumber(medianRatio(all(at, "perSecond"), all(0, "perSecond"))),
    ]),
  };
  return { table, times: cpuTimes[1] ?? Number.NaN };
}

/** The processor time is that of this process. */
async function load(call: Caller["call"]): Promise<Load> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  let calls = 0;
  const caller = async () => {
    while (performance.now() - startedAt < loadMs) {
      await call();
      calls++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: (calls / (performance.now() - startedAt)) * 1000,
    cpuMicros: (user + system) / calls,
  };
}

async function ours(target: Parameters<typeof connect>[0], revision: Revision): Promise<Caller> {
  const client = await connect(target, { revisions: [revision], info });
  return {
    name: "allspeak",
    call: () => client.tools.call("echo", { text: echoed }),
    close: () => client.close(),
  };
}

async function official(transport: Transport, revision: Revision): Promise<Caller> {
  const options: ClientOptions =
    revision === "2026-07-28"
      ? { versionNegotiation: { mode: { pin: revision } } }
      : { supportedProtocolVersions: [revision] };
  const client = new OfficialClient(info, options);
  await client.connect(transport);
  return {
    name: "official SDK 2",
    call: () => client.callTool({ name: "echo", arguments: { text: echoed } }),
    close: () => client.close(),
  };
}

/** Calls of texts that are written already, whose answers nobody parses: their time is the server's. */
async function serverAlone(revision: Revision): Promise<Caller> {
  const [near, far] = createMemoryPipe();
  servePipe(createEcho(), far);
  const waiting: ((text: string) => void)[] = [];
  const ignore = () => {};
  near.start({
    onText: (text) => waiting.shift()?.(text),
    onUnreadable: ignore,
    onStrayOutput: ignore,
    onClose: ignore,
  });
  const send = (text: string) =>
    new Promise<string>((resolve) => {
      waiting.push(resolve);
      void near.write(text);
    });
  const wire = wires.find((one) => one.revision === revision);
  if (wire === undefined) throw new Error(`There is no text of ${revision}.`);
  await send(wire.opening);
  if (wire.confirmation) await near.write(wire.confirmation);
  let id = 2;
  return {
    name: "the server alone",
    call: () => send(wire.call(id++)),
    close: () => near.close(),
  };
}

/** The official client's end of a pipe to our server, which carries text. */
class PipeTransport implements Transport {
  readonly #near;
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;

  constructor() {
    const [near, far] = createMemoryPipe();
    this.#near = near;
    servePipe(createEcho(), far);
  }

  async start(): Promise<void> {
    this.#near.start({
      onText: (text) => this.onmessage?.(JSON.parse(text)),
      onUnreadable: () => {},
      onStrayOutput: () => {},
      onClose: () => this.onclose?.(),
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#near.write(JSON.stringify(message));
  }

  async close(): Promise<void> {
    await this.#near.close();
  }
}
