import { isObject, type JsonObject } from "../../lib/json.ts";
import { MetaKey } from "../../protocol/meta.ts";

/** The metadata of a server about itself and its own tasks, which means nothing to our callers. */
const own: readonly string[] = [MetaKey.serverInfo, MetaKey.relatedTask];

/** A message of a server as it is passed on, without metadata that is true only between the server and us. */
export function withoutOwnMeta(message: JsonObject): JsonObject {
  const { _meta, ...others } = message;
  if (!isObject(_meta) || !own.some((key) => key in _meta)) return message;
  const kept = Object.entries(_meta).filter(([key]) => !own.includes(key));
  return kept.length > 0 ? { ...others, _meta: Object.fromEntries(kept) } : others;
}
