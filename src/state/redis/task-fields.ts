import type { JsonObject } from "../../lib/json.ts";
import { checkStoredTask } from "../check-stored.ts";
import { parseStored, parseStoredObject } from "../parse-stored.ts";
import type { NewTask, StoredTask, TaskChange } from "../task-store.ts";

/** Members that are stored as JSON in a field of their own, because they change. */
const changing = ["progress", "record", "result", "error"] as const;

type ChangingMembers = Partial<Pick<StoredTask, (typeof changing)[number] | "statusMessage">>;

/** The fields of a new task, each followed by its value. */
export function toNewFields({ statusMessage, progress, record, ...fixed }: NewTask): string[] {
  return ["task", JSON.stringify(fixed), ...toFields({ statusMessage, progress, record })];
}

/** The fields that a change sets, each followed by its value. */
export function toChangedFields({ statusMessage, progress, record, ended }: TaskChange): string[] {
  return toFields({ statusMessage, progress, record, ...ended });
}

function toFields(members: ChangingMembers): string[] {
  const fields = members.statusMessage === undefined ? [] : ["statusMessage", members.statusMessage];
  for (const name of changing)
    if (members[name] !== undefined) fields.push(name, JSON.stringify(members[name]));
  return fields;
}

/** Keys with their values as JSON, each after its key. */
export function toPairs(object: JsonObject): string[] {
  return Object.entries(object).flatMap(([key, value]) =>
    value === undefined ? [] : [key, JSON.stringify(value)],
  );
}

/** A task of its fields, each followed by its value. */
export function fromFields(fields: readonly string[]): StoredTask {
  const plain = new Map<string, string>();
  const asks: [string, unknown][] = [];
  const answers: [string, unknown][] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = "", value = ""] = [fields[at], fields[at + 1]];
    if (name.startsWith("ask:")) asks.push([name.slice(4), parseStored(value)]);
    else if (name.startsWith("answer:")) answers.push([name.slice(7), parseStored(value)]);
    else plain.set(name, value);
  }
  const changed = changing.filter((name) => plain.has(name));
  const statusMessage = plain.get("statusMessage");
  return checkStoredTask({
    ...parseStoredObject<NewTask>(plain.get("task") ?? "{}"),
    createdAt: Number(plain.get("created")),
    updatedAt: Number(plain.get("updated")),
    status: plain.get("status"),
    ...(statusMessage !== undefined && { statusMessage }),
    ...Object.fromEntries(changed.map((name) => [name, parseStored(plain.get(name) ?? "null")])),
    asks: Object.fromEntries(asks),
    answers: Object.fromEntries(answers),
  });
}
