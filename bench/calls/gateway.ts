import { createServer, tool } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { type Client, connect } from "allspeak/client";
import { type Gateway, openGateway } from "allspeak/gateway";
import { echoed } from "../load/wire.ts";
import { measureInRounds, median, medianRatio } from "../report/rounds.ts";
import { formatNumber, type Report } from "../report/table.ts";
import { floodingEntry, time } from "./host.ts";

const rounds = 15;
/** A call beside a flood takes many times as long, and each round starts the flood anew. */
const floodRounds = 8;
const floodCalls = 100;
const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;

/** The time that a call through a bridge, and through a gateway, takes beside a direct one: one at a time, in one process. */
export async function benchGateway(): Promise<Report> {
  const echo = tool("echo", { input }, ({ text }) => String(text));
  const server = createServer({ name: "echo", version: "1.0.0", tools: [echo] });
  const others = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [
      `other${index}`,
      createServer({ name: "x", version: "1.0.0", tools: [echo] }),
    ]),
  );
  const bridge = await openBridge(server);
  const gateway = await openGateway({
    servers: { ...others, echo: server },
    consent: () => true,
    audit: () => {},
  });
  const [direct, bridged, through] = [
    await connect(server),
    await connect(bridge.server),
    await connect(gateway.server),
  ];
  await through.tools.list().all();
  const call = (client: Client, name: string) => () => client.tools.call(name, { text: echoed });
  const calls = [call(direct, "echo"), call(bridged, "echo"), call(through, "echo__echo")];
  const [directUs = [], bridgedUs = [], throughUs = []] = await measureInRounds(
    rounds,
    calls.map((one) => () => time(one, 500)),
  );
  await Promise.all([direct, bridged, through].map((client) => client.close()));
  await Promise.all([bridge.close(), gateway.close()]);
  const beside = await timeBesideFlood();
  const addedBy = (us: readonly number[]) =>
    median(us.map((one, round) => one - (directUs[round] ?? Number.NaN)));
  return {
    tables: [
      {
        title: "tools/call through a bridge, and a gateway of 21 servers with consent and audit, median",
        header: ["call", "µs"],
        rows: [
          ["direct", formatNumber(median(directUs))],
          ["through a bridge", formatNumber(median(bridgedUs))],
          ["through a gateway", formatNumber(median(throughUs))],
        ],
      },
      {
        title: "tools/call over stdio through a gateway, beside a server that floods it",
        header: ["call of another server", "µs"],
        rows: [
          ["quiet neighbour", formatNumber(median(beside.quiet))],
          ["flooding neighbour", formatNumber(median(beside.flooded))],
          ["times quiet", formatNumber(medianRatio(beside.flooded, beside.quiet))],
        ],
      },
    ],
    figures: [
      { what: "µs that a bridge adds to a call", measured: addedBy(bridgedUs), bound: "at most", limit: 300 },
      {
        what: "µs that a gateway adds to a call",
        measured: addedBy(throughUs),
        bound: "at most",
        limit: 300,
      },
    ],
  };
}

/** The time of a call of one program while another server of the gateway is quiet, and while it floods. */
async function timeBesideFlood(): Promise<{ quiet: number[]; flooded: number[] }> {
  const open = async (way: string) => {
    const gateway = await openGateway({
      servers: { neighbour: floodingEntry(way), honest: floodingEntry("quiet") },
    });
    const client = await connect(gateway.server);
    for (const name of ["honest__x", "neighbour__x"]) await client.tools.call(name);
    return { gateway, client };
  };
  const [calm, attacked] = [await open("quiet"), await open("flood")];
  await rest(attacked.gateway);
  const measured = await measureInRounds(floodRounds, [
    () => time(() => calm.client.tools.call("honest__x"), floodCalls),
    async () => {
      await attacked.client.tools.call("neighbour__x");
      const us = await time(() => attacked.client.tools.call("honest__x"), floodCalls);
      await rest(attacked.gateway);
      return us;
    },
  ]);
  for (const { client, gateway } of [calm, attacked]) {
    await client.close();
    await gateway.close();
  }
  return { quiet: measured[0] ?? [], flooded: measured[1] ?? [] };
}

/** Ends the flood until the server is needed again. */
async function rest(gateway: Gateway): Promise<void> {
  await gateway.servers.find(({ name }) => name === "neighbour")?.restart();
}
