import { toDurability } from "../durability.ts";
import type { Durability, DurabilityLevel } from "../state.ts";
import type { Connection } from "./database/connection.ts";

interface Settings {
  readonly synchronousCommit: string;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly standbys: string;
  readonly isInRecovery: boolean;
}

interface Finding {
  readonly level: DurabilityLevel;
  readonly problem: string;
}

/** The durability that the settings of the server give. */
export async function readDurability(
  connection: Connection,
  asked: DurabilityLevel = "power-loss",
): Promise<Durability> {
  const [settings] = await connection.query<Settings>(
    "durability",
    `SELECT current_setting('synchronous_commit') AS "synchronousCommit", current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS "fullPageWrites", pg_is_in_recovery() AS "isInRecovery",
       current_setting('synchronous_standby_names') AS standbys`,
  );
  if (settings === undefined) throw new Error("PostgreSQL returned no settings.");
  const findings = findWeaknesses(settings);
  return toDurability({
    level: findings[0]?.level ?? "machine-loss",
    asked,
    problems: findings.map(({ problem }) => problem),
  });
}

/** The settings that make the promise weaker than it could be, the worst first. */
function findWeaknesses({
  synchronousCommit,
  fsync,
  fullPageWrites,
  standbys,
  isInRecovery,
}: Settings): Finding[] {
  const hasStandby = standbys !== "" && !["off", "local"].includes(synchronousCommit);
  const found: (Finding | false)[] = [
    isInRecovery && {
      level: "none",
      problem: "The server is a standby, which takes no writes: name the primary.",
    },
    synchronousCommit === "off" && {
      level: "node-crash",
      problem:
        "The last writes are lost when PostgreSQL crashes (synchronous_commit is off): set synchronous_commit = on.",
    },
    fsync === "off" && {
      level: "store-crash",
      problem: "A loss of power may destroy the database (fsync is off): set fsync = on.",
    },
    fullPageWrites === "off" && {
      level: "store-crash",
      problem:
        "A loss of power may tear pages in two (full_page_writes is off): set full_page_writes = on, unless the file system writes whole pages.",
    },
    !hasStandby && {
      level: "power-loss",
      problem:
        "There is no synchronous standby, so that the loss of the machine takes everything since the last backup: set synchronous_standby_names.",
    },
  ];
  return found.filter((finding) => finding !== false);
}
