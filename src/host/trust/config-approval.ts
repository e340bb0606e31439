import { diffDefinitions } from "../../client/trust/definition-diff.ts";
import { malformedRecord, type TrustStore, trustKey } from "../../client/trust/trust-store.ts";
import { ServerHeldError } from "../../errors/host-errors.ts";
import { isObject } from "../../lib/json.ts";
import type { ServerEntry } from "../config/host-config.ts";
import type { InspectedServer } from "./inspect-server.ts";

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
  /** All that decides what is started, line by line; escape invisible characters. Values of headers are masked. */
  readonly lines: readonly string[];
  /** The hash of what is shown, for `server.approve(sha256)`. */
  readonly sha256: string;
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
  readonly inspected: InspectedServer;
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
    const { server, file, entry, inspected } = placed;
    const { sha256, shown, lines } = inspected;
    const key = keyOf(placed);
    const approved = toApproved(key, await store.get(key));
    if (approved?.sha256 === sha256) return;
    const reason = approved === undefined ? "new" : "changed";
    // Entries that were given in code are the author's own.
    if (reason === "new" && approve === undefined && file === undefined) return this.approve(placed);
    const diff = diffDefinitions(approved?.shown ?? {}, shown);
    if (approve !== undefined && this.#declined.get(key) !== sha256) {
      if ((await approve({ server, entry, reason, diff, lines, sha256 })) === true)
        return this.approve(placed);
      this.#declined.set(key, sha256);
    }
    throw new ServerHeldError(server, reason, diff, sha256);
  }

  /** Remembers an entry as it was inspected. */
  async approve(placed: PlacedEntry): Promise<void> {
    const { sha256, shown } = placed.inspected;
    const key = keyOf(placed);
    this.#declined.delete(key);
    await this.#options.store.update(key, () => ({ sha256, shown }));
  }

  /**
   * Trusts the entries that a file has when it is read for the first time: the host's author has chosen it. Entries
   * that come later are another's, and are held back.
   */
  async trustFirst(file: string, inspect: () => Promise<readonly PlacedEntry[]>): Promise<void> {
    const { store } = this.#options;
    const key = trustKey("file", file);
    if ((await store.get(key)) !== undefined) return;
    // A store can write them together.
    await Promise.all((await inspect()).map((placed) => this.approve(placed)));
    await store.update(key, () => ({ isKnown: true }));
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
