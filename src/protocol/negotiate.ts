import { RpcError, UnsupportedRevisionError, UsageError } from "../errors.ts";
import type { Revision } from "./revision.ts";
import { revisions } from "./revisions/index.ts";
import { WireCode } from "./wire-error.ts";

export type RevisionName = "2024-11-05" | "2025-03-26" | "2025-06-18" | "2025-11-25" | "2026-07-28";

/** The revisions that one side supports, newest first. */
export class SupportedRevisions {
  readonly all: readonly Revision[];

  constructor(names?: readonly string[]) {
    this.all =
      names === undefined ? revisions : revisions.filter((revision) => names.includes(revision.version));
    const unknown = names?.find((name) => !revisions.some((revision) => revision.version === name));
    if (unknown !== undefined || this.all.length === 0) {
      const known = revisions.map((revision) => revision.version).join(", ");
      const problem = unknown === undefined ? "revisions is empty" : `"${unknown}" is not a revision`;
      throw new UsageError(`${problem}; choose from ${known}.`);
    }
  }

  get names(): readonly string[] {
    return this.all.map((revision) => revision.version);
  }

  find(version: unknown): Revision | undefined {
    return this.all.find((revision) => revision.version === version);
  }

  /** The revisions that open in one of the two ways, newest first. */
  opening(opening: Revision["opening"]): readonly Revision[] {
    return this.all.filter((revision) => revision.opening === opening);
  }
}

/**
 * The server's answer to `initialize`: the version asked for, else its newest of that kind.
 *
 * basic/lifecycle#version-negotiation (2025-11-25)
 */
export function answerHandshake(requested: string, supported: SupportedRevisions): Revision {
  const candidates = supported.opening("handshake");
  const [newest] = candidates;
  if (newest === undefined) throw unsupportedVersion(WireCode.invalidParams, requested, supported);
  return candidates.find((revision) => revision.version === requested) ?? newest;
}

/**
 * The revision that a request names in its own metadata.
 *
 * basic/versioning#protocol-version-negotiation (2026-07-28)
 */
export function resolveRequestRevision(requested: string, supported: SupportedRevisions): Revision {
  const revision = supported.find(requested);
  if (revision?.opening === "each-request") return revision;
  throw unsupportedVersion(WireCode.unsupportedRevision, requested, supported);
}

function unsupportedVersion(code: number, requested: string, supported: SupportedRevisions): RpcError {
  const names = supported.names;
  return new RpcError(code, `Unsupported protocol version: this server speaks ${names.join(", ")}`, {
    supported: names,
    requested,
  });
}

/** The newest revision that both sides support; throws when there is none. */
export function chooseRevision(offered: readonly unknown[], supported: SupportedRevisions): Revision {
  const chosen = supported.all.find((revision) => offered.includes(revision.version));
  if (chosen) return chosen;
  throw new UnsupportedRevisionError(supported.names.join(" or "), offered.map(String));
}
