import { createHash } from "node:crypto";

const data = new Uint8Array(Number(process.env.ALLSPEAK_BENCH_WORK_BYTES ?? 0));

/** Keeps the processor busy with the same bytes each time: a clock would count the time of others, and a loop the compiler. */
export function work(): void {
  if (data.length > 0) createHash("sha256").update(data).digest();
}
