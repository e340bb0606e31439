import type { Call } from "../../contract/call.ts";
import { toHolder } from "../../contract/caller/holder.ts";
import type { Mount, NameCheck, PrefixedKind } from "../../contract/mount/mount.ts";
import { RegistrationError, RpcError } from "../../errors.ts";
import { Throttle } from "../../lib/async/throttle.ts";
import { waitAtMost } from "../../lib/async/wait-at-most.ts";
import { FairRoom } from "../../lib/bounded/fair-room.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import type { LogSink } from "../log.ts";
import { type Mounted, prefixed, unprefixed } from "./mounts.ts";
import type { Registration, Registry } from "./registry.ts";

interface MountTableParts {
  readonly registry: Registry<Mount>;
  readonly log: LogSink;
  readonly secrets: readonly string[] | undefined;
  /** Checks a name against what the mounting server has beside its mounts. */
  readonly assertFree: NameCheck;
}

/** A resource that clients watch. */
interface Watched {
  subscribers: number;
  /** True if it has a place, which counts for its first subscriber. */
  readonly hasPlace: boolean;
  readonly holder: string | undefined;
  /** The errors of the mounts that refused it, each undefined for one that did not. */
  readonly refusals: Promise<readonly (RpcError | undefined)[]>;
}

/** The resources that are watched in mounts at a time; callers decide how many there are. */
const maxWatched = 10_000;
const reportEveryMs = 60_000;
/** The time that a mount has to refuse updates of a resource; after that its subscribers wait for them. */
const refusalMs = 2_000;
const kinds: readonly PrefixedKind[] = ["tools", "prompts"];

/** The mounts of a server, and the resources that its clients watch in them. */
export class MountTable {
  readonly #parts: MountTableParts;
  readonly #mounted = new Map<Mount, Mounted>();
  readonly #watched = new Map<string, Watched>();
  readonly #room = new FairRoom(maxWatched);
  #sorted: readonly Mounted[] | undefined;

  constructor(parts: MountTableParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#parts.registry.size;
  }

  /** Adds a mount, unless one of its names is taken. */
  add(prefix: string, mount: Mount): Registration {
    assertPrefix(prefix);
    for (const kind of kinds)
      for (const name of mount.names?.(kind) ?? []) this.#assertFree(kind, prefixed({ prefix }, name));
    const registration = this.#parts.registry.add(prefix, mount);
    const stop = mount.onRegister?.((kind, name) =>
      this.#assertFree(kind, prefixed({ prefix }, name), mount),
    );
    for (const uri of this.#watched.keys()) void this.#watchAt(mount, uri);
    return {
      ...registration,
      remove: () => {
        stop?.();
        registration.remove();
        this.#mounted.delete(mount);
      },
    };
  }

  /** Takes note that mounts were added, removed, enabled or disabled. */
  changed(): void {
    this.#sorted = undefined;
  }

  /** The mounts, longest prefix first, so that `a` does not take the names of `a_b`. */
  get all(): readonly Mounted[] {
    this.#sorted ??= this.#parts.registry
      .enabled()
      .map(({ key, item, position }) => this.#toMounted(key, item, position))
      .sort((a, b) => b.prefix.length - a.prefix.length);
    return this.#sorted;
  }

  /** Returns whether a mount has an item of this prefixed name; undefined as long as one does not know. */
  has(kind: PrefixedKind, name: string, except?: Mount): boolean | undefined {
    let outcome: boolean | undefined = false;
    for (const { prefix, mount } of this.all) {
      const inner = mount === except ? undefined : unprefixed({ prefix }, name);
      if (inner === undefined) continue;
      const known = mount.has?.(kind, inner);
      if (known) return true;
      if (known === undefined) outcome = undefined;
    }
    return outcome;
  }

  /** The prefixed names that the mounts certainly have. */
  names(kind: PrefixedKind): readonly string[] {
    return this.all.flatMap(
      (mounted) => mounted.mount.names?.(kind).map((name) => prefixed(mounted, name)) ?? [],
    );
  }

  /**
   * Subscribes to a resource at every mount that sends updates only to subscribers, once for all subscribers
   * here. Returns false, without doing so, when there is no room that the caller may have.
   */
  watch(uri: string, call?: Call): boolean {
    const known = this.#watched.get(uri);
    if (known) {
      known.subscribers++;
      return true;
    }
    const mounts = this.all.filter(({ mount }) => canWatch(mount));
    const hasPlace = mounts.length > 0;
    const payer = call && this.#room.isCrowdedBy(1) ? toHolder(call) : undefined;
    if (hasPlace && !this.#room.take(1, payer)) return false;
    const refusals = Promise.all(mounts.map(({ mount }) => this.#watchAt(mount, uri, call)));
    this.#watched.set(uri, { subscribers: 1, hasPlace, holder: payer, refusals });
    return true;
  }

  /** The error of the mounts that were asked to send updates of a watched resource, if all of them refused in time. */
  async refusalOf(uri: string): Promise<RpcError | undefined> {
    const { refusals } = this.#watched.get(uri) ?? {};
    const found = refusals && (await waitAtMost(refusalMs, refusals, () => undefined));
    return found?.every((refusal) => refusal !== undefined) ? found[0] : undefined;
  }

  /** Takes back one `watch`. */
  unwatch(uri: string): void {
    const known = this.#watched.get(uri);
    if (known === undefined || --known.subscribers > 0) return;
    this.#watched.delete(uri);
    if (known.hasPlace) this.#room.giveBack(1, known.holder);
    for (const { mount } of this.all) mount.unwatch?.(uri);
  }

  /** Never rejects; returns the error with which the server behind the mount refused. One that is away is asked again later. */
  async #watchAt(mount: Mount, uri: string, call?: Call): Promise<RpcError | undefined> {
    if (!canWatch(mount)) return undefined;
    try {
      await mount.watch?.(uri, call);
      return undefined;
    } catch (cause) {
      this.#mounted.get(mount)?.report(`Can't subscribe to updates of ${uri}`, cause);
      // Only errors that were made here reach a caller.
      return cause instanceof RpcError ? new RpcError(cause.wireCode, cause.message, cause.data) : undefined;
    }
  }

  #assertFree(kind: PrefixedKind, name: string, except?: Mount): void {
    if (this.has(kind, name, except)) throw nameTaken(kind, name);
    this.#parts.assertFree(kind, name);
  }

  #toMounted(prefix: string, mount: Mount, position: number): Mounted {
    const known = this.#mounted.get(mount);
    if (known?.position === position) return known;
    const { secrets, log } = this.#parts;
    const reports = new Throttle(reportEveryMs);
    const report = (message: string, cause: unknown) => void (reports.isDue() && log({ message, cause }));
    const label = prefix || (mount.name ?? "");
    const mounted = { prefix, label, mount, position, secrets, report };
    this.#mounted.set(mount, mounted);
    return mounted;
  }
}

function canWatch(mount: Mount): boolean {
  return mount.watch !== undefined && hasCapability(mount.capabilities, "resources.subscribe");
}

export function noRoomToWatch(): RpcError {
  return invalidParams("Too many resources of mounted servers are watched; end some subscriptions first.");
}

export function nameTaken(kind: PrefixedKind, name: string): RegistrationError {
  return new RegistrationError(
    `The ${kind.slice(0, -1)} "${name}" exists already, here or through a mount; remove it, or mount under another prefix.`,
  );
}

function assertPrefix(prefix: string): void {
  if (/^[A-Za-z0-9_.-]*$/.test(prefix)) return;
  throw new RegistrationError(
    `Prefix ${JSON.stringify(prefix)} is not allowed; use letters, digits, "_", "-" or ".".`,
  );
}
