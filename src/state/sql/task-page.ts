import { ifReadable } from "../readable/if-readable.ts";
import type { StoredTask, TaskPage } from "../task-store.ts";
import { fromStoredText } from "./stored-text.ts";
import { toCursor } from "./task-cursor.ts";
import { type TaskRow, toStoredTask } from "./task-row.ts";

/** A task of a list, with its id as it is stored. */
export interface ListedRow extends TaskRow {
  readonly id: string;
}

/** A page of the first rows. One more than the limit means that there is a next page. */
export function toTaskPage(rows: readonly ListedRow[], limit: number): TaskPage {
  const tasks: StoredTask[] = [];
  const unreadable: string[] = [];
  const shown = rows.slice(0, limit);
  for (const row of shown) {
    const task = ifReadable(() => toStoredTask(row));
    if (task) tasks.push(task);
    else unreadable.push(fromStoredText(row.id));
  }
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next = last && toCursor(last.created_us, fromStoredText(last.id));
  return { tasks, next, ...(unreadable.length > 0 && { unreadable }) };
}
