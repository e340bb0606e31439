import { Driver, type StdioLoad } from "../load/stdio-driver.ts";
import { type Wire, wires } from "../load/wire.ts";
import { measureInRounds, median, medianRatio } from "../report/rounds.ts";
import { type Figure, formatNumber, type Report, type Table } from "../report/table.ts";
import { contenders } from "../servers/contender.ts";

const loads = [
  { name: "one at a time", inFlight: 1 },
  { name: "64 in flight", inFlight: 64 },
];
const rounds = 9;
const loadMs = 250;
/** The share of bare that ours should have, by CPU. */
const leastShare = 0.9;

/** Calls of one echo tool over the pipes of a child process: how many, and what each costs its processor. */
export async function benchStdio(): Promise<Report> {
  const tables: Table[] = [];
  const figures: Figure[] = [];
  for (const wire of wires)
    for (const report of await compare(wire)) {
      tables.push(report.table);
      figures.push(report.figure);
    }
  return { tables, figures };
}

/** One report for each load. */
async function compare(wire: Wire): Promise<{ table: Table; figure: Figure }[]> {
  const present = contenders.filter(({ speaks }) => speaks.includes(wire.revision));
  const drivers = present.map(({ server }) => new Driver(server, wire));
  try {
    for (const driver of drivers) await driver.open();
    const runs = loads.flatMap(({ inFlight }) =>
      drivers.map((driver) => () => driver.load(inFlight, loadMs)),
    );
    const measured = await measureInRounds(rounds, runs);
    const names = present.map(({ name }) => name);
    return loads.map(({ name }, load) => {
      const title = `stdio tools/call, ${wire.revision}, ${name}`;
      return toReport(title, names, measured.slice(load * names.length, (load + 1) * names.length));
    });
  } finally {
    await Promise.all(drivers.map((driver) => driver.close()));
  }
}

function toReport(
  title: string,
  names: readonly string[],
  measured: readonly (readonly StdioLoad[])[],
): { table: Table; figure: Figure } {
  const all = (at: number, key: keyof StdioLoad) => (measured[at] ?? []).map((load) => load[key]);
  const cpuShare = (at: number) => medianRatio(all(0, "cpuMicros"), all(at, "cpuMicros"));
  return {
    figure: {
      what: `${title}, CPU, share of bare`,
      measured: cpuShare(names.indexOf("allspeak")),
      bound: "at least",
      limit: leastShare,
    },
    table: {
      title,
      header: ["server", "CPU per call, us", "share of bare", "calls/s", "share of bare"],
      rows: names.map((name, at) => [
        name,
        median(all(at, "cpuMicros")).toFixed(1),
        cpuShare(at).toFixed(2),
        formatNumber(median(all(at, "perSecond"))),
        medianRatio(all(at, "perSecond"), all(0, "perSecond")).toFixed(2),
      ]),
    },
  };
}
