import { parseArgs } from "node:util";
import { benchClient } from "./calls/client.ts";
import { benchGate } from "./calls/gate.ts";
import { benchGateway } from "./calls/gateway.ts";
import { benchHost } from "./calls/host.ts";
import { benchHttp } from "./calls/http.ts";
import { benchInProcess } from "./calls/in-process.ts";
import { benchStdio } from "./calls/stdio.ts";
import { benchGrowth } from "./growth/growth.ts";
import { benchNodes } from "./growth/nodes.ts";
import { benchState } from "./growth/state.ts";
import { benchFloods } from "./memory/floods.ts";
import { benchMemory } from "./memory/memory.ts";
import { benchPage } from "./memory/page.ts";
import { benchStreams } from "./memory/streams.ts";
import { benchSize } from "./package/size.ts";
import { benchTypes } from "./package/types.ts";
import { type Figure, printFigures, printTable, type Report } from "./report/table.ts";
import { benchColdStart } from "./startup/cold-start.ts";
import { benchFirstUse } from "./startup/first-use.ts";

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

const names = Object.keys(benches);
const usage = `npm run bench                      all benchmarks, one after the other
npm run bench -- stdio cold-start  some of them
npm run bench -- gate              fails if a call takes more processor time than recorded
npm run bench -- gate --record     records it anew

The benchmarks: ${names.join(", ")}.
bench/README.md says what each of them measures.`;

function readArguments() {
  const options = { help: { type: "boolean", short: "h" }, record: { type: "boolean" } } as const;
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const unknown = positionals.find((name) => !["gate", ...names].includes(name));
    if (unknown !== undefined) throw new Error(`There is no benchmark "${unknown}".`);
    if (values.record && !positionals.includes("gate")) throw new Error("--record belongs to gate.");
    return { ...values, named: positionals };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

const { help, record = false, named } = readArguments();
if (help) {
  console.log(usage);
  process.exit();
}

const all = { ...benches, gate: () => benchGate(record) };
const figures: Figure[] = [];
for (const name of named.length > 0 ? named : names) {
  console.error(`bench: ${name}`);
  const report = await all[name as keyof typeof all]?.();
  report?.tables.forEach(printTable);
  figures.push(...(report?.figures ?? []));
}
printFigures(figures);
