import { toDurability } from "../durability.ts";
import type { Durability, DurabilityLevel } from "../state.ts";
import type { RedisClient } from "./client/redis-client.ts";

const settings = [
  "appendonly",
  "appendfsync",
  "no-appendfsync-on-rewrite",
  "save",
  "maxmemory",
  "maxmemory-policy",
] as const;

type Settings = Readonly<Record<(typeof settings)[number], string>>;

/** The durability that the settings of the server give. */
export async function readDurability(client: RedisClient, asked?: DurabilityLevel): Promise<Durability> {
  const found = await readSettings(client);
  if (found === undefined)
    return toDurability({
      level: "node-crash",
      asked,
      problems: [
        "The server does not let this user read its settings, so it is not known what survives its crash: allow CONFIG GET, or look at appendonly, appendfsync and maxmemory-policy yourself.",
      ],
    });
  return toDurability({ level: levelOf(found), asked, problems: problemsOf(found) });
}

async function readSettings(client: RedisClient): Promise<Settings | undefined> {
  try {
    const replies = await Promise.all(settings.map((name) => client.command("CONFIG", "GET", name)));
    return Object.fromEntries(settings.map((name, at) => [name, settingIn(replies[at])])) as Settings;
  } catch (error) {
    // NOPERM of an access list, or "unknown command" where the command was renamed or a provider took it away.
    if (error instanceof Error && /^(NOPERM|ERR unknown command|ERR Unknown)/i.test(error.message))
      return undefined;
    throw error;
  }
}

/** The value of a setting: a list of its name and its value, or a map, as the protocol of the client has it. */
function settingIn(reply: unknown): string {
  if (Array.isArray(reply)) return String(reply[1] ?? "");
  if (reply instanceof Map) return String([...reply.values()][0] ?? "");
  return String(Object.values(reply ?? {})[0] ?? "");
}

function levelOf(found: Settings): DurabilityLevel {
  if (evicts(found)) return "none";
  // With `everysec`, Redis answers before it writes while the disk is busy with the second before.
  if (found.appendonly !== "yes" || found.appendfsync === "everysec") return "node-crash";
  return found.appendfsync === "always" && found["no-appendfsync-on-rewrite"] !== "yes"
    ? "power-loss"
    : "store-crash";
}

function evicts(found: Settings): boolean {
  return found.maxmemory !== "0" && found["maxmemory-policy"] !== "noeviction";
}

function problemsOf(found: Settings): string[] {
  const problems: string[] = [];
  if (evicts(found))
    problems.push(
      `A full server forgets sessions, events and tasks (maxmemory-policy ${found["maxmemory-policy"]}): set maxmemory-policy noeviction.`,
    );
  if (found.appendonly !== "yes") {
    const lost = found.save === "" ? "everything" : "what came after its last snapshot";
    problems.push(`A crash or restart of the server loses ${lost} (appendonly no): set appendonly yes.`);
  } else if (found.appendfsync === "everysec")
    problems.push(
      "A crash of the server may lose up to two seconds while its disk is busy, and a power failure always does (appendfsync everysec): set appendfsync always.",
    );
  else if (found.appendfsync !== "always")
    problems.push(
      `A power failure loses what the system has not written yet (appendfsync ${found.appendfsync}): set appendfsync always.`,
    );
  else if (found["no-appendfsync-on-rewrite"] === "yes")
    problems.push(
      "A power failure while the log is rewritten loses writes (no-appendfsync-on-rewrite yes): set it to no.",
    );
  else
    problems.push(
      "The loss of the machine loses everything that no replica has, because Redis answers before its replicas do.",
    );
  return problems;
}
