import { toDurability } from "../durability.ts";
import type { Durability, DurabilityLevel } from "../state.ts";
import type { StreamConfig } from "./jetstream/jetstream.ts";

/**
 * The durability that the settings of the streams give.
 *
 * How often the server writes to disk is a setting that clients can't see, so no more than `store-crash` is promised.
 */
export function durabilityOf(configs: readonly StreamConfig[], asked?: DurabilityLevel): Durability {
  const isInMemory = configs.some(({ storage }) => storage === "memory");
  const replicas = Math.min(...configs.map(({ num_replicas }) => num_replicas));
  if (!isInMemory)
    return toDurability({
      level: "store-crash",
      asked,
      problems: replicas >= 3 ? [unknownSync] : [unknownSync, oneCopy],
    });
  return toDurability({ level: replicas >= 3 ? "store-crash" : "node-crash", asked, problems: [inMemory] });
}

const inMemory =
  'The streams are in the memory of NATS, and gone with it; delete them, and set the option storage to "file".';
const unknownSync =
  "NATS acknowledges writes before they are on disk, and writes them to disk every two minutes; set sync_interval: always in the part jetstream of the server's file, with nats-server 2.10 or newer. Clients can't see whether it is set.";
const oneCopy =
  "There is one copy of the streams (replicas is 1); set the option replicas to 3 in a cluster of NATS.";
