import { diffDefinitions } from "../../client/trust/definition-diff.ts";
import { malformedRecord, type TrustStore, trustKey } from "../../client/trust/trust-store.ts";
import { ServerHeldError } from "../../errors/host-errors.ts";
import { canonicalJson } from "../../lib/encoding/canonical-json.ts";
import { sha256Hex } from "../../lib/encoding/sha256.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ServerEntry } from "../config/host-config.ts";

/** A server that is about to be started for the first time, or in another way than before. */
export interface ServerApproval {
  /** Its name in the configuration. */
  readonly server: string;
  /** The whole entry, as it is written: show all of it, with invisible characters escaped. */
  readonly entry: ServerEntry;
  /** `new`: the server was never approved. `changed`: it was approved with another command, URL or environment. */
  readonly reason: "new" | "changed";
  /** The difference for a person to read, line by line, without invisible characters and without secrets. */
  readonly diff: readonly string[];
}

export interface ConfigApprovalOptions {
  readonly store: TrustStore;
  readonly approve: ((approval: ServerApproval) => boolean | Promise<boolean>) | undefined;
}

/** An entry with its place; servers of the same name in other files are other servers. */
export interface PlacedEntry {
  readonly server: string;
  readonly file: string | undefined;
  readonly entry: ServerEntry;
}

interface ApprovedEntry {
  readonly sha256: string;
  readonly shown: unknown;
}

/**
 * Remembers how each server was started when it was approved.
 *
 * Whoever can write the file can make the host start any program (CVE-2025-54136, "MCPoison"), so an entry that has
 * changed is held back until it is approved again.
 */
export class ConfigApprovals {
  readonly #options: ConfigApprovalOptions;
  /** Hashes of entries that were declined. */
  readonly #declined = new Map<string, string>();

  constructor(options: ConfigApprovalOptions) {
    this.#options = options;
  }

  /** Rejects with ServerHeldError unless the entry is approved; asks the host about one that is new or changed. */
  async assertApproved(placed: PlacedEntry): Promise<void> {
    const { approve, store } = this.#options;
    const { server, entry } = placed;
    const key = keyOf(placed);
    const sha256 = await sha256Hex(canonicalJson(entry));
    const approved = toApproved(key, await store.get(key));
    if (approved?.sha256 === sha256) return;
    const reason = approved === undefined ? "new" : "changed";
    // Without a function to ask, the host's author has chosen the file, and its first state is trusted.
    if (reason === "new" && approve === undefined) return this.approve(placed);
    const diff = diffDefinitions(approved?.shown ?? {}, await withoutSecrets(entry));
    if (approve !== undefined && this.#declined.get(key) !== sha256) {
      if ((await approve({ server, entry, reason, diff })) === true) return this.approve(placed);
      this.#declined.set(key, sha256);
    }
    throw new ServerHeldError(server, reason, diff);
  }

  /** Remembers an entry as it is now. */
  async approve(placed: PlacedEntry): Promise<void> {
    const { entry } = placed;
    const key = keyOf(placed);
    const sha256 = await sha256Hex(canonicalJson(entry));
    const shown = await withoutSecrets(entry);
    this.#declined.delete(key);
    await this.#options.store.update(key, () => ({ sha256, shown }));
  }
}

function keyOf({ server, file }: PlacedEntry): string {
  return trustKey("server", file ?? "", server);
}

function toApproved(key: string, kept: unknown): ApprovedEntry | undefined {
  if (kept === undefined) return undefined;
  if (isObject(kept) && typeof kept.sha256 === "string") return { sha256: kept.sha256, shown: kept.shown };
  throw malformedRecord(key, "the approved way to start the server is");
}

/** The entry with values of the environment and of headers replaced by hashes: they are often secret. */
async function withoutSecrets(entry: ServerEntry): Promise<JsonObject> {
  if ("command" in entry) return { ...entry, env: await hashMembers(entry.env) };
  return { ...entry, headers: await hashMembers(entry.headers) };
}

async function hashMembers(members: Readonly<Record<string, string>>): Promise<JsonObject> {
  const hashed: Record<string, string> = {};
  for (const [name, value] of Object.entries(members)) {
    // Variables are shown: they are names.
    const isVariable = /^\$\{[^{}]+\}$/.test(value);
    hashed[name] = isVariable ? value : `sha256 ${(await sha256Hex(value)).slice(0, 8)}`;
  }
  return hashed;
}
