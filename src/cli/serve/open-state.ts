import type { ServeHttpOptions } from "allspeak/node";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";

/** The store that several processes share, by its URL. Its library is loaded only when it is used. */
export async function openState(url: string): Promise<NonNullable<ServeHttpOptions["state"]>> {
  if (/^rediss?:\/\//i.test(url)) return (await import("allspeak/state/redis")).redis(url);
  if (/^(?:nats|tls):\/\//i.test(url)) return (await import("allspeak/state/nats")).nats(url);
  if (/^postgres(?:ql)?:\/\//i.test(url)) return (await import("allspeak/state/postgres")).postgres(url);
  const file = /^sqlite:(.+)$/i.exec(url)?.[1] ?? (/\.(?:db|sqlite3?)$/.test(url) ? url : undefined);
  if (file !== undefined) return (await import("allspeak/state/sqlite")).sqlite(file);
  throw new CommandError(
    `--state takes redis://…, postgres://…, nats://… or sqlite:FILE, not ${JSON.stringify(url)}.`,
    ExitCode.usage,
  );
}
