import type { StoredTask, TaskPage } from "../../task-store.ts";

/** A task in its list; undefined in the place of one that can't be read. */
export interface ListedTask {
  readonly id: string;
  readonly place: number;
  readonly task: StoredTask | undefined;
}

/** A page of the first tasks. One more than the limit means that there is a next page. */
export function toPage(found: readonly ListedTask[], limit: number): TaskPage {
  const shown = found.slice(0, limit);
  const unreadable = shown.flatMap(({ id, task }) => (task ? [] : [id]));
  return {
    tasks: shown.flatMap(({ task }) => task ?? []),
    next: found.length <= limit ? undefined : String(shown.at(-1)?.place),
    ...(unreadable.length > 0 && { unreadable }),
  };
}
