import { isObject, type JsonObject } from "../../lib/json.ts";

/** The part of the schema that a local reference names; undefined for any other reference. */
export function lookUp(root: JsonObject, reference: string): JsonObject | undefined {
  if (!reference.startsWith("#")) return undefined;
  const steps = reference.slice(1).split("/").slice(1);
  let part: unknown = root;
  for (const step of steps) {
    const name = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    const members: JsonObject = Object(part);
    part = Object.hasOwn(members, name) ? members[name] : undefined;
  }
  return isObject(part) ? part : undefined;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    // Not encoded.
    return step;
  }
}
