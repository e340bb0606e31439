import { readFileSync, writeFileSync } from "node:fs";
import { wires } from "../load/wire.ts";
import { median } from "../report/rounds.ts";
import { formatNumber, type Report } from "../report/table.ts";
import { http } from "../servers/contender.ts";
import { type Load, measureLoads } from "./http.ts";

/** The last shares that were recorded, and how far they move by themselves. */
type Recorded = Readonly<Record<string, { readonly share: number; readonly noise: number }>>;

const file = new URL("../../../bench/recorded.json", import.meta.url);
const gated = ["bare", "allspeak"];
/** Less than this is never called decay, however quiet the machine was. */
const leastNoise = 0.03;

/** Compares the processor time of a call with the shares that were recorded last; fails beyond their noise. */
export async function benchGate(record: boolean): Promise<Report> {
  const measured: Record<string, { share: number; noise: number }> = {};
  for (const wire of wires) {
    const present = http.filter(({ name }) => gated.includes(name));
    const [bare = [], ...ours] = await measureLoads(wire, present);
    ours.forEach((loads, at) => {
      measured[`${present[at + 1]?.name}, ${wire.revision}`] = toShare(bare, loads);
    });
  }
  if (record) writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
  const recorded = JSON.parse(readFileSync(file, "utf8")) as Recorded;
  const rows = Object.entries(measured).map(([what, { share, noise }]) => {
    const before = recorded[what] ?? { share, noise };
    return { what, share, least: before.share - Math.max(before.noise, noise, leastNoise), before };
  });
  if (rows.some(({ share, least }) => share < least)) process.exitCode = 1;
  const table = {
    title: "HTTP tools/call, CPU, share of bare, against the last record",
    header: ["what", "recorded", "at least", "measured", ""],
    rows: rows.map(({ what, share, least, before }) => [
      what,
      formatNumber(before.share),
      formatNumber(least),
      formatNumber(share),
      share < least ? "slower" : "held",
    ]),
  };
  return { tables: [table], figures: [] };
}

/** The median of the rounds; the noise is half of the range in which the middle half of them lies. */
function toShare(bare: readonly Load[], loads: readonly Load[]): { share: number; noise: number } {
  const shares = loads
    .map(({ cpuMicros }, round) => (bare[round]?.cpuMicros ?? Number.NaN) / cpuMicros)
    .sort((a, b) => a - b);
  const at = (part: number) => shares[Math.floor(part * (shares.length - 1))] ?? Number.NaN;
  const round = (value: number) => Math.round(value * 1000) / 1000;
  return { share: round(median(shares)), noise: round((at(0.75) - at(0.25)) / 2) };
}
