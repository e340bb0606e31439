import type { Mount, PrefixedKind } from "../../contract/mount/mount.ts";
import { joinTasks, type MountTasks } from "../../contract/mount/mount-tasks.ts";
import { hasCapability } from "../../protocol/model/identity.ts";

/** Another server's catalog under a prefix. */
export interface Mounted {
  readonly prefix: string;
  /** The word for the mount in messages: its prefix, or the name of its server. */
  readonly label: string;
  readonly mount: Mount;
  readonly position: number;
  /** The secrets of the mounting server. */
  readonly secrets: readonly string[] | undefined;
  /** Logs a failure of the mount, at most once a minute. */
  readonly report: (message: string, cause: unknown) => void;
}

export function prefixed({ prefix }: { readonly prefix: string }, name: string): string {
  return prefix === "" ? name : `${prefix}_${name}`;
}

/** The mount with this capability that a prefixed name belongs to, and the name inside it. */
export function findMount(
  mounts: readonly Mounted[],
  name: string,
  kind: PrefixedKind,
): { readonly mounted: Mounted; readonly name: string } | undefined {
  const fitting = mounts.flatMap((mounted) => {
    const inner = unprefixed(mounted, name);
    return inner !== undefined && hasCapability(mounted.mount.capabilities, kind)
      ? [{ mounted, name: inner }]
      : [];
  });
  if (fitting.length < 2) return fitting[0];
  const known = fitting.map((found) => found.mounted.mount.has?.(kind, found.name));
  return (
    fitting.find((_, index) => known[index]) ??
    fitting.find((_, index) => known[index] === undefined) ??
    fitting[0]
  );
}

/** The tasks that run behind mounts; undefined if no mount can have any. */
export function tasksOf(mounts: readonly Mounted[]): MountTasks | undefined {
  const all = mounts.flatMap(({ mount }) => mount.tasks ?? []);
  return all.length > 0 ? joinTasks(() => all) : undefined;
}

/** The name inside the mount; undefined if the name does not have its prefix. */
export function unprefixed({ prefix }: { readonly prefix: string }, name: string): string | undefined {
  if (prefix === "") return name;
  return name.startsWith(`${prefix}_`) ? name.slice(prefix.length + 1) : undefined;
}
