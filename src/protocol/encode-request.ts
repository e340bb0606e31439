import { isObject, type JsonObject } from "../lib/json.ts";
import { encodePart, type RequestId } from "./message.ts";
import { joinMeta, type SharedMeta } from "./shared-meta.ts";

/** The metadata of a request, beside what its params bring. */
export interface RequestMeta {
  readonly shared?: SharedMeta | undefined;
  readonly progressToken?: RequestId | undefined;
}

/** Throws UsageError for params that JSON can't hold: a BigInt, or an object that contains itself. */
export function encodeRequest(
  id: RequestId,
  method: string,
  params: JsonObject,
  meta: RequestMeta = {},
): string {
  const text = encodeParams(method, params, meta);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)},"params":${text}}`;
}

function encodeParams(method: string, params: JsonObject, { shared, progressToken }: RequestMeta): string {
  const token = progressToken === undefined ? "" : `"progressToken":${JSON.stringify(progressToken)}`;
  if (!shared && !token) return encodePart(method, params);
  // Metadata of its own is joined to the rest, and the members of an object with `toJSON` are not known.
  if (!isObject(params) || params._meta !== undefined || params.toJSON !== undefined)
    return encodePart(method, joinMeta(params, { ...shared?.members, ...(token && { progressToken }) }));
  const members = shared?.text && token ? `${shared.text},${token}` : shared?.text || token;
  const text = encodePart(method, params).slice(0, -1);
  return `${text}${text === "{" ? "" : ","}"_meta":{${members}}}`;
}
