//   npm run bench                      all of them
//   npm run bench -- stdio cold-start  some of them
import { benchColdStart } from "./cold-start.ts";
import { benchGrowth } from "./growth.ts";
import { benchHttp } from "./http.ts";
import { benchInProcess } from "./in-process.ts";
import { benchSize } from "./size.ts";
import { benchStdio } from "./stdio.ts";
import { benchStreams } from "./streams.ts";
import { type Figure, printFigures, printTable, type Report } from "./table.ts";
import { benchTypes } from "./types.ts";

const benches: Readonly<Record<string, () => Promise<Report>>> = {
  stdio: benchStdio,
  http: benchHttp,
  streams: benchStreams,
  growth: benchGrowth,
  "cold-start": benchColdStart,
  "in-process": benchInProcess,
  size: benchSize,
  types: benchTypes,
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(benches);
const unknown = names.find((name) => !Object.hasOwn(benches, name));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}"; choose from ${Object.keys(benches).join(", ")}.`);
  process.exit(2);
}

const figures: Figure[] = [];
for (const name of names) {
  const report = await benches[name]?.();
  report?.tables.forEach(printTable);
  figures.push(...(report?.figures ?? []));
}
printFigures(figures);
