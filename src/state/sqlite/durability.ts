import { toDurability } from "../durability.ts";
import type { Durability, DurabilityLevel } from "../state.ts";
import type { Database } from "./database.ts";

/** https://sqlite.org/pragma.html#pragma_synchronous */
const full = 2;

/** The durability that the settings of the file give. */
export function readDurability(database: Database, asked: DurabilityLevel = "power-loss"): Durability {
  const synchronous = database.first<{ synchronous: number }>("PRAGMA synchronous")?.synchronous ?? 0;
  if (synchronous >= full) return toDurability({ level: "power-loss", asked, problems: [oneDisk] });
  return toDurability({ level: "store-crash", asked, problems: [unflushed] });
}

const unflushed =
  'The last writes are lost when the machine loses power, because they are not flushed to the disk one by one: pass synchronous: "full".';
const oneDisk = "The file is on one disk of one machine: use PostgreSQL or NATS with replicas.";
