import { contenders } from "./contender.ts";
import { Driver } from "./driver.ts";
import { measureInRounds, median, medianRatio } from "./rounds.ts";
import { type Figure, formatNumber, type Report, type Table } from "./table.ts";
import { type Wire, wires } from "./wire.ts";

const loads = [
  { name: "one at a time", inFlight: 1 },
  { name: "64 in flight", inFlight: 64 },
];
const rounds = 9;
const loadMs = 250;
const leastShare = 0.6;

/** Calls per second of one echo tool, over the pipes of a child process. */
export async function benchStdio(): Promise<Report> {
  const tables: Table[] = [];
  const figures: Figure[] = [];
  for (const wire of wires) {
    const { table, shareOfUs } = await compare(wire);
    tables.push(table);
    figures.push({
      what: `stdio tools/call, ${wire.revision}, 64 in flight, share of bare`,
      measured: shareOfUs,
      bound: "at least",
      limit: leastShare,
    });
  }
  return { tables, figures };
}

async function compare(wire: Wire): Promise<{ table: Table; shareOfUs: number }> {
  const present = contenders.filter(({ speaks }) => speaks.includes(wire.revision));
  const drivers = present.map(({ server }) => new Driver(server, wire));
  try {
    for (const driver of drivers) await driver.open();
    const runs = loads.flatMap(({ inFlight }) =>
      drivers.map((driver) => () => driver.load(inFlight, loadMs)),
    );
    const measured = await measureInRounds(rounds, runs);
    const ratesOf = (load: number, at: number) => measured[load * present.length + at] ?? [];
    const shareOf = (load: number, at: number) => medianRatio(ratesOf(load, at), ratesOf(load, 0));
    const columns = loads.flatMap(({ name }) => [`${name}, calls/s`, "share of bare"]);
    const us = present.findIndex(({ name }) => name === "allspeak");
    return {
      shareOfUs: shareOf(loads.length - 1, us),
      table: {
        title: `stdio tools/call, ${wire.revision}`,
        header: ["server", ...columns],
        rows: present.map(({ name }, at) => [
          name,
          ...loads.flatMap((_, load) => [
            formatNumber(median(ratesOf(load, at))),
            formatNumber(shareOf(load, at)),
          ]),
        ]),
      },
    };
  } finally {
    await Promise.all(drivers.map((driver) => driver.close()));
  }
}
