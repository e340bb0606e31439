import { createServer, tool } from "allspeak";
import { connect } from "allspeak/client";
import { openHost } from "allspeak/host";
import { echoed } from "../load/wire.ts";
import { measureInRounds, median, medianRatio } from "../report/rounds.ts";
import { formatNumber, type Report } from "../report/table.ts";

const rounds = 15;
const calls = 2_000;
const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;

/** The time that a call through a host takes beside that of its client: one at a time, in one process. */
export async function benchHost(): Promise<Report> {
  const echo = tool("echo", { input }, ({ text }) => String(text));
  const server = createServer({ name: "echo", version: "1.0.0", tools: [echo] });
  const client = await connect(server);
  await client.tools.list().all();
  const others = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [
      `other${index}`,
      createServer({ name: "x", version: "1.0.0", tools: [echo] }),
    ]),
  );
  const host = await openHost({ servers: { ...others, echo: server }, consent: () => true, audit: () => {} });
  await host.tools();
  const direct = () => client.tools.call("echo", { text: echoed });
  const through = () => host.call("echo__echo", { text: echoed });
  if ((await through()).text !== echoed) throw new Error("Unexpected result.");
  const [directUs = [], throughUs = []] = await measureInRounds(rounds, [
    () => time(direct),
    () => time(through),
  ]);
  await Promise.all([client.close(), host.close()]);
  const neighbour = await timeBesideFlood();
  const added = median(throughUs.map((us, round) => us - (directUs[round] ?? Number.NaN)));
  return {
    tables: [
      {
        title: "tools/call through a host of 21 servers, with consent and audit, median of one call",
        header: ["call", "µs"],
        rows: [
          ["client.tools.call", formatNumber(median(directUs))],
          ["host.call", formatNumber(median(throughUs))],
          ["added by the host", formatNumber(added)],
        ],
      },
      {
        title:
          "tools/call over stdio through a host, beside a server that floods it with changes of its list",
        header: ["call of another server", "µs"],
        rows: [
          ["quiet neighbour", formatNumber(median(neighbour.quiet))],
          ["flooding neighbour", formatNumber(median(neighbour.flooded))],
          ["times quiet", formatNumber(medianRatio(neighbour.flooded, neighbour.quiet))],
        ],
      },
    ],
    figures: [{ what: "µs that a host adds to a call", measured: added, bound: "at most", limit: 50 }],
  };
}

/** A server that answers, and, with an argument, writes notifications as fast as they are read. */
const neighbourProgram = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const capabilities = { tools: { listChanged: true } };
const noise = (JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }) + "\\n").repeat(500);
const flood = () => process.stdout.write(noise) ? setImmediate(flood) : process.stdout.once("drain", flood);
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "notifications/initialized" && process.argv[1] === "flood") flood();
  if (id === undefined) return;
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities, serverInfo: { name: "n", version: "1" } },
    "tools/call": { content: [{ type: "text", text: "x" }] },
    "tools/list": { tools: [{ name: "x", inputSchema: { type: "object" } }] },
  };
  const result = results[method];
  send(result ? { id, result } : { id, error: { code: -32601, message: "Method not found" } });
});`;

/** The entry of a program that is `quiet`, or floods whoever started it. */
export function floodingEntry(way: string): { command: string; args: string[] } {
  return { command: process.execPath, args: ["-e", neighbourProgram, way] };
}

/** The time of a call of one program while another server of the host is quiet, and while it floods. */
async function timeBesideFlood(): Promise<{ quiet: number[]; flooded: number[] }> {
  const open = async (way: string) => {
    const host = await openHost({
      servers: { neighbour: floodingEntry(way), honest: floodingEntry("quiet") },
    });
    await host.tools();
    return host;
  };
  const [calm, attacked] = [await open("quiet"), await open("flood")];
  await attacked.server("neighbour")?.restart(); // closes it until it is needed
  const measured = await measureInRounds(rounds, [
    () => time(() => calm.call("honest__x"), 300),
    async () => {
      await attacked.client("neighbour");
      const us = await time(() => attacked.call("honest__x"), 300);
      await attacked.server("neighbour")?.restart();
      return us;
    },
  ]);
  await Promise.all([calm.close(), attacked.close()]);
  return { quiet: measured[0] ?? [], flooded: measured[1] ?? [] };
}

/** The median time of a call, in microseconds. */
export async function time(call: () => Promise<unknown>, count = calls): Promise<number> {
  const times: number[] = [];
  for (let done = 0; done < count; done++) {
    const startedAt = performance.now();
    await call();
    times.push((performance.now() - startedAt) * 1_000);
  }
  return median(times);
}
