//   npm run bench                      all of them
//   npm run bench -- stdio cold-start  some of them
//   npm run bench -- gate              compares with the last record; gate --record writes a new one
import { benchClient } from "./client.ts";
import { benchColdStart } from "./cold-start.ts";
import { benchFirstUse } from "./first-use.ts";
import { benchFloods } from "./floods.ts";
import { benchGate } from "./gate.ts";
import { benchGateway } from "./gateway.ts";
import { benchGrowth } from "./growth.ts";
import { benchHost } from "./host.ts";
import { benchHttp } from "./http.ts";
import { benchInProcess } from "./in-process.ts";
import { benchMemory } from "./memory.ts";
import { benchNodes } from "./nodes.ts";
import { benchPage } from "./page.ts";
import { benchSize } from "./size.ts";
import { benchState } from "./state.ts";
import { benchStdio } from "./stdio.ts";
import { benchStreams } from "./streams.ts";
import { type Figure, printFigures, printTable, type Report } from "./table.ts";
import { benchTypes } from "./types.ts";

/** The benchmarks that run when none is named. */
const benches: Readonly<Record<string, () => Promise<Report>>> = {
  stdio: benchStdio,
  http: benchHttp,
  streams: benchStreams,
  memory: benchMemory,
  floods: benchFloods,
  growth: benchGrowth,
  state: benchState,
  nodes: benchNodes,
  "cold-start": benchColdStart,
  "first-use": benchFirstUse,
  "in-process": benchInProcess,
  client: benchClient,
  host: benchHost,
  gateway: benchGateway,
  page: benchPage,
  size: benchSize,
  types: benchTypes,
};

const named = process.argv.slice(2).filter((name) => !name.startsWith("--"));
const names = named.length > 0 ? named : Object.keys(benches);
const all = { ...benches, gate: benchGate };
const unknown = names.find((name) => !Object.hasOwn(all, name));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}"; choose from ${Object.keys(all).join(", ")}.`);
  process.exit(2);
}

const figures: Figure[] = [];
for (const name of names) {
  const report = await all[name as keyof typeof all]?.();
  report?.tables.forEach(printTable);
  figures.push(...(report?.figures ?? []));
}
printFigures(figures);
