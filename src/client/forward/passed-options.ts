import type { Call } from "../../contract/call.ts";
import type { Progress } from "../../contract/channel.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { MetaKey, readProgressToken } from "../../protocol/meta.ts";
import type { Report } from "../report.ts";
import type { CallOptions } from "../requests.ts";

const reserved: ReadonlySet<string> = new Set(["progressToken", ...Object.values(MetaKey)]);

/** The options of a request that passes on the call of another client: its signal, its progress and its metadata. */
export function toPassedOptions(
  call: Pick<Call, "params" | "signal" | "notify">,
  report: Report,
): CallOptions {
  const meta = isObject(call.params._meta) ? call.params._meta : {};
  const progressToken = readProgressToken(call.params);
  const passed = withoutReserved(meta);
  const onProgress = (progress: Progress) => {
    // A caller that is gone aborts the call by its signal.
    call.notify("notifications/progress", { progressToken, ...progress }).catch(report);
  };
  return {
    signal: call.signal,
    ...(progressToken !== undefined && { onProgress }),
    ...(Object.keys(passed).length > 0 && { meta: passed }),
  };
}

/** Drops the metadata that describes the caller: this client sends its own. */
function withoutReserved(meta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !reserved.has(key)));
}

/** The metadata of a server about itself and its own tasks, which means nothing to our callers. */
const own: readonly string[] = [MetaKey.serverInfo, MetaKey.relatedTask];

/** A message of a server as it is passed on, without metadata that is true only between the server and us. */
export function withoutOwnMeta(message: JsonObject): JsonObject {
  const { _meta, ...others } = message;
  if (!isObject(_meta) || !own.some((key) => key in _meta)) return message;
  const kept = Object.entries(_meta).filter(([key]) => !own.includes(key));
  return kept.length > 0 ? { ...others, _meta: Object.fromEntries(kept) } : others;
}
