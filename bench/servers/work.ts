const steps = Number(process.env.ALLSPEAK_BENCH_STEPS ?? 0);

/** Keeps the processor busy, by the same number of steps each time; a clock would count the time of others, too. */
export function work(): number {
  let value = 1;
  for (let step = 0; step < steps; step++) value = (Math.imul(value, 1_103_515_245) + 12_345) | 0;
  return value;
}
