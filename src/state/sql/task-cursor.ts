import { toStoredKey } from "./stored-text.ts";

/** The place of a task in its list, as it is stored. */
interface TaskPlace {
  readonly createdUs: number;
  readonly id: string;
}

/** The cursor after a task. It reveals nothing of the tasks of others. */
export function toCursor(createdUs: number | string, id: string): string {
  return `${createdUs} ${id}`;
}

export function parseCursor(cursor: string): TaskPlace | undefined {
  const [, createdUs, id] = /^(\d{1,16}) (.*)$/s.exec(cursor) ?? [];
  if (createdUs === undefined || id === undefined) return undefined;
  return { createdUs: Number(createdUs), id: toStoredKey(id) };
}
